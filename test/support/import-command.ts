import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Context } from '../../src/context.ts'
import type { Socket } from '../../src/db/embedded.ts'
import type { TestApp } from './app/app.ts'
import { programEnv } from './server-program.ts'

const project = join(import.meta.dirname, '../..')
const secretKey = 'the secret key of the tests, 32 characters and more'

interface Result {
  code: number | null
  output: string
  errors: string
}

/** Starts a command of `src/commands/` with the app's database and store. */
export function startCommand(
  ctx: Context,
  { host, port, user, database }: Socket,
  command: string,
  words: string[],
  more: NodeJS.ProcessEnv = {},
): { child: ChildProcess; ended: Promise<Result> } {
  const url = `postgres:///${database}?${new URLSearchParams({ host, port: String(port), user })}`
  const env = { ...programEnv, DATABASE_URL: url, SECRET_KEY: secretKey, DATA_DIR: ctx.env.dataDir, ...more }
  const child = spawn(process.execPath, [`src/commands/${command}.ts`, ...words], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = new Promise<Result>((resolve) => child.once('close', (code) => resolve({ code, output, errors })))
  return { child, ended }
}

/** Runs the import command to its end. */
export function runImport({ ctx, database }: TestApp, words: string[], more: NodeJS.ProcessEnv = {}): Promise<Result> {
  return startCommand(ctx, database, 'import', words, more).ended
}

/** Copies a fixture, so that a test may change it and programs may write beside it. */
export function copyOfFixture(t: Test, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(project, 'test/fixtures', name), folder, { recursive: true })
  return folder
}

/**
 * Returns all rows of the tables that an import writes to, for comparing before and after. The
 * numbers of downloads are left out, because they are counted a moment later.
 */
export async function everything({ db }: Context) {
  const tables = ['user', 'share', 'file', 'reverseShare', 'shareRecipient', 'setting', 'socialLink', 'oldLink'] as const
  const rows = tables.map((table) => db.selectFrom(table).selectAll().execute())
  const textOf = (row: object) => JSON.stringify(row, (key, value) => (key === 'downloads' ? undefined : value))
  return (await Promise.all(rows)).map((list) => list.map(textOf).sort())
}
