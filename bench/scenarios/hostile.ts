import { setTimeout as sleep } from 'node:timers/promises'
import { connectionInputs } from '../hostile/connections.ts'
import { headerInputs } from '../hostile/headers.ts'
import type { Input, Target } from '../hostile/input.ts'
import { jsonInputs } from '../hostile/json.ts'
import { uploadInputs } from '../hostile/uploads.ts'
import { fill, MiB, newAccount, newShare } from '../support/api.ts'
import { below, type Figure } from '../support/figures.ts'
import { p99, type Sample, startNormalLoad } from '../support/normal.ts'
import { cpuOf, memoryOf, roles } from '../support/processes.ts'
import { sendRaw } from '../support/raw.ts'
import { freePort, type Server, startServer } from '../support/server.ts'

const INPUT_TIME = 1000 // ms that one input is sent
const QUIET = 3000 // ms without inputs, before each group
const WARM = 6000 // ms before the first measurement
const LONGEST = 225_000 // ms for all inputs; the rest is not sent

interface Seen {
  what: string
  statuses: string
  p99: number
  /** Longest block of the event loop in ms. */
  block: number
  /** CPU time per request in ms, over all threads. */
  cpu: number
  /** Memory growth in MB since before the first input. */
  growth: ReturnType<typeof memoryOf>
}

/**
 * Sends the worst known inputs during a normal load, and measures its p99 against that without
 * them, the longest block of the event loop, and memory.
 */
export async function hostile(): Promise<Figure[]> {
  const metricsPort = freePort()
  const server = await startServer(undefined, { METRICS_PORT: String(metricsPort), HOST: '127.0.0.1' })
  const target = await prepare(server)
  const { share, file, admin } = target
  const paths = [`/share/${share}`, `/api/shares/${share}`, '/api/users/me', '/api/shares?page=1', `/api/shares/${share}/files/${file}`]
  const sample = startNormalLoad(
    paths.map((path) => server.url + path),
    admin,
  )
  const lag = () => longestBlock(metricsPort)
  await sleep(WARM)
  const before = memoryOf(server.pid)
  const groups = [jsonInputs, headerInputs, uploadInputs, connectionInputs]
  const quiet: number[] = []
  const refused: string[] = []
  const worst: Figure[] = []
  const all: Seen[] = []
  const unsent: string[] = []
  const begun = performance.now()
  for (const group of groups) {
    await sample()
    const idle = cpuOf(server.pid)
    await sleep(QUIET)
    const spare = (cpuOf(server.pid) - idle) / (QUIET / 1000)
    quiet.push(...(await sample()).times)
    const times: number[] = []
    for (const input of group(target)) {
      if (performance.now() - begun > LONGEST) {
        unsent.push(input.what)
        continue
      }
      await lag()
      const { seen, normal } = await attack(server, input, { sample, lag, spare, before })
      print(seen)
      times.push(...normal.times)
      refused.push(...normal.refused)
      all.push(seen)
    }
    worst.push(
      below(
        `p99 of the normal load beside ${group.name}, to quiet`,
        p99(times) / p99(quiet),
        2,
        '×',
        `${p99(times).toFixed(0)} ms against ${p99(quiet).toFixed(0)} ms`,
      ),
    )
  }
  return [
    ...worst,
    ...summary(all, refused),
    below('inputs that were not sent in time', unsent.length, 1, '', unsent.slice(0, 5).join(', ')),
  ]
}

function summary(all: Seen[], refused: string[]): Figure[] {
  const most = (what: string, of: (seen: Seen) => number, limit: number, unit: string) => {
    const peak = all.toSorted((a, b) => of(b) - of(a))[0]!
    return below(what, of(peak), limit, unit, peak.what)
  }
  return [
    most('longest block of the event loop', ({ block }) => block, 100, 'ms'),
    ...roles.map((name) => most(`growth of the ${name}`, ({ growth }) => growth[name], 50, 'MB')),
    below('requests of the normal load that failed', refused.length, 1, '', [...new Set(refused)].slice(0, 5).join(', ')),
  ]
}

interface Meters {
  sample: () => Promise<Sample>
  lag: () => Promise<number>
  /** CPU seconds that the server uses per second of normal load. */
  spare: number
  before: ReturnType<typeof memoryOf>
}

/** Sends one input until its time is over, then waits for outstanding responses. */
async function attack(
  { port, pid }: { port: number; pid: number },
  input: Input,
  { sample, lag, spare, before }: Meters,
): Promise<{ seen: Seen; normal: Sample }> {
  const { what, raw, every = 100, count = Number.POSITIVE_INFINITY } = input
  const ending = new AbortController()
  const results: Promise<string>[] = []
  const growth = { server: 0, postgres: 0, programs: 0 }
  const watch = setInterval(() => {
    const now = memoryOf(pid)
    for (const name of roles) growth[name] = Math.max(growth[name], now[name] - before[name])
  }, 250)
  const [begun, used] = [performance.now(), cpuOf(pid)]
  while (performance.now() - begun < INPUT_TIME) {
    if (results.length < count) results.push(sendRaw(port, raw, ending.signal))
    await sleep(every)
  }
  if (raw.hold) ending.abort()
  const statuses = tally(await Promise.all(results))
  const seconds = (performance.now() - begun) / 1000
  clearInterval(watch)
  const cpu = Math.max(0, ((cpuOf(pid) - used - spare * seconds) * 1000) / results.length)
  const normal = await sample()
  return { normal, seen: { what, statuses, p99: p99(normal.times), block: await lag(), cpu, growth } }
}

function tally(results: string[]): string {
  const counts = Map.groupBy(results, (result) => result)
  return [...counts].map(([result, { length }]) => `${length} × ${result}`).join(', ')
}

function print({ what, statuses, p99, block, cpu, growth }: Seen): void {
  const figures = [`p99 ${p99.toFixed(0)} ms`, `block ${block.toFixed(0)} ms`, `cpu ${cpu.toFixed(1)} ms`]
  const memory = Object.values(growth).map((size) => size.toFixed(0))
  console.log(`  ${what.padEnd(52)} ${figures.map((figure) => figure.padStart(13)).join(' ')}   +${memory.join(' +')} MB   ${statuses}`)
}

/** Returns the longest block since the last call, in ms. */
async function longestBlock(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds ([\d.e+-]+)$/m.exec(text)![1]) * 1000
}

/**
 * Creates a share, and a user who is not an administrator with a share that is open for uploads.
 */
async function prepare(server: Server): Promise<Target & { admin: string }> {
  const share = await newShare(server)
  const [file] = await fill(server, share, [MiB, 2000, 3000])
  const { cookie } = await newAccount(server, 'hostile')
  const own = await newShare({ ...server, cookie })
  return { share, file: file!, cookie, admin: server.cookie, own }
}
