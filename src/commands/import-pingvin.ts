import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { type Env, EnvError, readEnv } from '../env.ts'
import { StartError } from '../errors.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { applyPlan, type Progress } from '../pingvin-import/apply.ts'
import { readPingvin } from '../pingvin-import/pingvin.ts'
import { planImport } from '../pingvin-import/plan.ts'
import { withImportLock } from '../pingvin-import/queries.ts'
import { amountOf, list, reportOf } from '../pingvin-import/report.ts'
import { type Closer, createCloser } from '../process/closing.ts'
import { openContext } from '../process/open-context.ts'
import { loadSecretKey } from '../process/secret-key.ts'
import { commandLog, openDatabase } from './database.ts'

const usage = `Usage: npm run import:pingvin -- <Pingvin Share's data folder> [--apply]

Shows what would be imported; --apply imports it. It can be stopped and run again, and never replaces existing data.`
const progressInterval = 10_000 // ms

/**
 * Imports a Pingvin Share: `npm run import:pingvin -- /srv/pingvin/data --apply`.
 * Works whether the server runs or not.
 */
async function main(args: string[]): Promise<void> {
  const { folder, apply } = parse(args)
  if (!folder) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  const env = readEnv(process.env)
  const log = commandLog('import', 'warn')
  const closing = createCloser(log)
  try {
    const pingvin = readPingvin(folder)
    const ctx = await open(env, log, closing)
    const done = await withImportLock(ctx.db, () => run(ctx, pingvin, apply))
    if (done === null) throw new StartError('Another import is running.')
  } finally {
    await closing.close()
  }
}

function parse(args: string[]): { folder: string | null; apply: boolean } {
  try {
    const { values, positionals } = parseArgs({ args, options: { apply: { type: 'boolean' } }, allowPositionals: true })
    const [folder = null, ...rest] = positionals
    return { folder: rest.length === 0 ? folder : null, apply: values.apply === true }
  } catch {
    return { folder: null, apply: false }
  }
}

async function open(env: Env, log: Logger, closing: Closer): Promise<Context> {
  const connection = await openDatabase('import', env, closing)
  const secretKey = env.secretKey ?? (await loadSecretKey(env.dataDir))
  const { ctx, close } = await openContext(env, log, { connection, secretKey, metrics: createMetrics(), queueConnections: 1 })
  closing.add('context', close)
  return ctx
}

async function run(ctx: Context, pingvin: ReturnType<typeof readPingvin>, apply: boolean): Promise<true> {
  const plan = await planImport(ctx, pingvin)
  console.log(reportOf(plan))
  if (!apply) {
    console.log('\nThis was a dry run: nothing was changed. Use --apply to import.')
    return true
  }
  const conflicts = await applyPlan(ctx, plan, printProgress())
  console.log([...list('Not imported because of a conflict:', conflicts), '', 'Done.'].join('\n'))
  return true
}

function printProgress(): Progress {
  let [bytes, printedAt, position] = [0, Date.now(), '0']
  const print = () => {
    if (Date.now() - printedAt < progressInterval) return
    printedAt = Date.now()
    console.log(`${position} shares, ${amountOf(bytes)}`)
  }
  return {
    share(done, total) {
      position = `${done} of ${total}`
      print()
    },
    bytes(count) {
      bytes += count
      print()
    },
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof StartError || error instanceof EnvError ? error.message : error)
  process.exitCode = 1
})
