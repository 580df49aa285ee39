import { randomInt } from 'node:crypto'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { call } from '../bench/support/api.ts'
import { closeAll } from '../bench/support/closing.ts'
import { memoryOf } from '../bench/support/processes.ts'
import { administrator, type Server, scratch, startServer } from '../bench/support/server.ts'
import { type Caller, fuzzDescribedCalls } from './described-calls.ts'
import { fuzzSockets } from './sockets.ts'

const WARM_UP = 0.15 // share of the time
const MAX_GROWTH = 50 // MB
const SETTLE = 5000 // ms

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } })
const seed = Number(values.seed ?? randomInt(2 ** 31))
const seconds = Number(values.minutes) * 60
if (!Number.isInteger(seed) || !(seconds > 0)) {
  console.error('--minutes must be a number above 0, --seed a whole number.')
  process.exit(1)
}

console.log(`seed ${seed}: npm run fuzz -- --seed ${seed} --minutes ${values.minutes} repeats the cases`)
const faults: string[] = []
try {
  faults.push(...(await run()))
} catch (error) {
  faults.push(String(error))
} finally {
  await closeAll()
}
for (const fault of faults) console.log(`FAULT ${fault}`)
console.log(faults.length === 0 ? 'No fault was found.' : `${faults.length} faults were found.`)
process.exitCode = faults.length === 0 ? 0 : 1

/**
 * Fuzzes sockets as a warm-up, then sockets and described calls for half of the remaining time
 * each; returns a sentence per fault.
 */
async function run(): Promise<string[]> {
  const log = join(await scratch(), 'server.log')
  const server = await startServer(undefined, { TRUST_PROXY: '127.0.0.1', HOST: '127.0.0.1' }, openSync(log, 'w'))
  const caller = await callerOf(server)
  const warmUp = await fuzzSockets(server, caller.token, seed, seconds * WARM_UP)
  const before = await settled(server)
  const rest = (seconds * (1 - WARM_UP)) / 2
  const sockets = await fuzzSockets(server, caller.token, seed + 1, rest)
  const calls = await fuzzDescribedCalls(caller, seed, rest)
  const after = await settled(server)
  console.log(
    `${warmUp.sent + sockets.sent} cases over sockets, ${calls.sent} described calls, memory ${before.toFixed(0)} MB, then ${after.toFixed(0)} MB`,
  )
  const found = [...warmUp.faults, ...sockets.faults, ...calls.faults]
  if (after - before > MAX_GROWTH) found.push(`The server has grown from ${before.toFixed(0)} to ${after.toFixed(0)} MB.`)
  if (calls.sent === 0) found.push('Schemathesis made no call.')
  const health = await fetch(`${server.url}/api/health`).catch((error: Error) => error)
  if (!(health instanceof Response && health.ok)) found.push('The server does not respond any more.')
  if (found.length > 0) found.push(...failures(log))
  return found
}

/** Returns the smallest memory of the idle server in MB. */
async function settled({ pid }: Server): Promise<number> {
  const seen: number[] = []
  for (let at = 0; at < 10; at++) {
    await sleep(SETTLE / 10)
    seen.push(memoryOf(pid).server)
  }
  return Math.min(...seen)
}

async function callerOf(server: Server): Promise<Caller> {
  const me = await call<{ id: string }>(server, 'GET', '/users/me')
  const created = await call<{ id: string; token: string }>(server, 'POST', '/auth/tokens', {
    name: 'fuzz',
    scopes: ['shares:read', 'shares:write', 'admin'],
  })
  return { url: server.url, token: created.token, admin: administrator, kept: [me.id, created.id] }
}

/** Returns the log lines of failed requests. */
function failures(log: string): string[] {
  const lines = readFileSync(log, 'utf8').split('\n')
  return lines
    .filter((line) => /"level":"(error|fatal)"/.test(line))
    .slice(0, 20)
    .map((line) => `log: ${line.slice(0, 1500)}`)
}
