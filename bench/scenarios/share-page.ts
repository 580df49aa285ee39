import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { maxStartFiles } from '../../src/downloads/limits.ts'
import { fileJson } from '../../src/shares/queries.ts'
import { fill, newShare } from '../support/api.ts'
import { type Figure, ratio } from '../support/figures.ts'
import { scratch, startServer } from '../support/server.ts'

const SECONDS = 5

/**
 * Measures `GET /api/shares/{id}` on 32 connections (wrk) against pgbench with the same prepared
 * statement on the same PostgreSQL.
 */
export async function sharePage(): Promise<Figure[]> {
  const what = 'share page as JSON on 32 connections, to pgbench of its statement'
  const missing = ['wrk', pgbench].filter((tool) => !runs(tool))
  if (missing.length > 0)
    return [{ what, value: `not measured: ${missing.join(' and ')} not installed`, target: 'at least 0.5', met: false }]
  const server = await startServer(undefined, { DATABASE_POOL: '40' }) // PostgreSQL allows 22 connections more
  const share = await newShare(server)
  await fill(server, share, [1000, 2000, 3000])
  const unlocked = await fetch(`${server.url}/api/shares/${share}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const cookie = unlocked.headers.getSetCookie()[0]!.split(';')[0]!

  const script = join(await scratch(), 'share.sql')
  await writeFile(script, `${statement(share)};\n`)
  const socket = socketOf(server.dataDir)

  const ours = async () =>
    rateOf(
      'wrk',
      ['-t', '1', '-c', '32', '-d', `${SECONDS}`, '-H', `Cookie: ${cookie}`, `${server.url}/api/shares/${share}`],
      /Requests\/sec:\s+([\d.]+)/,
    )
  const ceiling = async () =>
    rateOf(
      pgbench,
      ['-n', '-M', 'prepared', '-c', '32', '-j', '1', '-T', `${SECONDS}`, '-f', script, '-h', socket, '-U', 'razorbill', 'razorbill'],
      /tps = ([\d.]+)/,
    )
  return [await ratio(what, 0.5, 'a second', ours, ceiling)]
}

const pgbench = (() => {
  try {
    const [version] = readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a))
    return `/usr/lib/postgresql/${version}/bin/pgbench`
  } catch {
    return 'pgbench'
  }
})()

/** Returns whether a program is installed. */
export function runs(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Returns the statement of `findVisibleShare` from the source, with its two values filled in. */
function statement(share: string): string {
  const source = readFileSync(new URL('../../src/downloads/queries.ts', import.meta.url), 'utf8')
  const visible = /const visible = '([^']+)'/.exec(source)![1]!
  const text = /'open share',\s+`([^`]+)`/.exec(source)![1]!
  return text
    .replace(/\$\{visible\}/, visible)
    .replace(/\$\{fileJson\}/, fileJson)
    .replace(/\$\{maxStartFiles \+ 1\}/, String(maxStartFiles + 1))
    .replaceAll('$1', `'${share}'`)
    .replaceAll('$2', `'${new Date().toISOString()}'`)
    .replaceAll(/\s+/g, ' ')
}

/** Returns PostgreSQL's socket folder, the fifth line of its postmaster.pid. */
export function socketOf(dataDir: string): string {
  return readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4]!
}

/** Returns the rate that a load generator reports in its output. */
export async function rateOf(tool: string, args: string[], pattern: RegExp): Promise<number> {
  const child = spawn(tool, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  await once(child, 'close')
  const found = pattern.exec(text)
  if (!found) throw new Error(`unexpected output of ${tool}: ${text}`)
  return Number(found[1])
}
