import { parseArgs } from 'node:util'
import { exportData } from '../export/export.ts'
import { folderTarget } from '../export/folder-target.ts'
import type { Tally } from '../export/share.ts'
import { tarTarget } from '../export/tar-target.ts'
import { openCommandContext } from './command-context.ts'
import { runCommand } from './run-command.ts'

const usage = `Usage: npm run export -- (--user <name> | --all) <folder or file.tar>

Exports files, shares and accounts, described in docs/export.md. Into a folder, it can be stopped and run again.`
const problemsMax = 1000

function parse(args: string[]): { user: string | null; path: string } | null {
  try {
    const options = { user: { type: 'string' }, all: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [path, ...rest] = positionals
    const hasOne = (values.user !== undefined) !== (values.all === true)
    return path && rest.length === 0 && hasOne ? { user: values.user ?? null, path } : null
  } catch {
    return null
  }
}

function report({ files, bytes, existing, problems }: Tally): void {
  console.log(`${files} files exported (${(bytes / 1e6).toFixed(1)} MB), ${existing} were already there.`)
  for (const problem of problems.slice(0, problemsMax)) console.error(problem.replace(/\p{Cc}/gu, '?'))
  if (problems.length > problemsMax) console.error(`… and ${problems.length - problemsMax} more`)
  if (problems.length > 0) process.exitCode = 1
}

/**
 * Exports data for other programs: `npm run export -- --user alice /backup/alice`.
 * Works whether the server runs or not.
 */
await runCommand({
  name: 'export',
  level: 'warn',
  usage,
  parse,
  async run({ user, path }, { env, log, closing }) {
    const ctx = await openCommandContext('export', env, log, closing)
    const target = path.endsWith('.tar') ? tarTarget(path) : await folderTarget(path)
    closing.add('target', target.close)
    report(await exportData(ctx, target, user))
  },
})
