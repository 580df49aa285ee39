import { startEmbedded } from '../../../src/db/embedded.ts'

/**
 * Runs the embedded PostgreSQL on a folder until SIGTERM, with fsync if the argument `durable`
 * follows. A third argument is the folder with former PostgreSQL versions. Prints one line of JSON
 * when it runs or is refused.
 */
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const log = { info() {}, warn() {}, error() {} }

try {
  const [, , dataDir = '', durable, former] = process.argv
  const formerPrograms = former ? `${former}/package.json` : undefined
  const embedded = await startEmbedded({ dataDir, log, durable: durable === 'durable', formerPrograms })
  process.once('SIGTERM', () => embedded.stop())
  say({ connection: embedded.connection })
} catch (error) {
  say({ refused: (error as Error).message })
}
