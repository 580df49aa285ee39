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

Says what it would take over; with --apply it does so. It may be stopped and run again, and never replaces what is here already.`
const tellEvery = 10_000 // ms

/** Takes over what a Pingvin Share has: `npm run import:pingvin -- /srv/pingvin/data --apply`. The server may run, or not. */
async function main(words: string[]): Promise<void> {
  const { folder, apply } = wanted(words)
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

function wanted(words: string[]): { folder: string | null; apply: boolean } {
  try {
    const { values, positionals } = parseArgs({ args: words, options: { apply: { type: 'boolean' } }, allowPositionals: true })
    return { folder: positionals.length === 1 ? positionals[0]! : null, apply: values.apply === true }
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
    console.log('\nThis was a rehearsal, and nothing was changed. With --apply it is done.')
    return true
  }
  const late = await applyPlan(ctx, plan, tellingProgress())
  console.log([...list('Not taken after all:', late), '', 'Done.'].join('\n'))
  return true
}

function tellingProgress(): Progress {
  let [bytes, told, at] = [0, Date.now(), '0']
  const tell = () => {
    if (Date.now() - told < tellEvery) return
    told = Date.now()
    console.log(`${at} shares, ${amountOf(bytes)}`)
  }
  return {
    share(done, all) {
      at = `${done} of ${all}`
      tell()
    },
    bytes(count) {
      bytes += count
      tell()
    },
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof StartError || error instanceof EnvError ? error.message : error)
  process.exitCode = 1
})
