import { startEmbedded } from '../../../src/db/embedded.ts'

/**
 * Runs the embedded PostgreSQL on a folder until SIGTERM, with fsync if the argument `durable`
 * follows. Prints one line of JSON when it runs or is refused.
 */
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const log = { info() {}, warn() {}, error() {} }

try {
  const embedded = await startEmbedded({ dataDir: process.argv[2]!, log, durable: process.argv[3] === 'durable' })
  process.once('SIGTERM', () => embedded.stop())
  say({ connection: embedded.connection })
} catch (error) {
  say({ refused: (error as Error).message })
}
