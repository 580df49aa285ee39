import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sample } from '../../test/support/browser/samples.ts'
import { person, signUp } from '../../test/support/people/person.ts'
import { median } from '../support/figures.ts'
import { residentOf } from '../support/processes.ts'
import { Client } from './client.ts'
import { type Installation, onDisk, onS3 } from './installations.ts'
import { checkAll, type Expected, work } from './work.ts'

// npm run soak -- --hours 2: uses an installation on disk and one on S3, kills its processes, and
// checks at the end that nothing was lost and nothing is left.
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '2' },
    on: { type: 'string', default: 'disk,s3' },
    'kill-every': { type: 'string', default: '5' }, // minutes
  },
})
const [hours, killEvery] = [Number(values.hours), Number(values['kill-every'])]
const stores = values.on.split(',')
if (!(hours > 0 && killEvery > 0)) throw new Error('--hours and --kill-every must be numbers above 0')
const HOUR = 3_600_000
/** Below this, the growth of memory is shown and not judged, as processes are still warming up. */
const JUDGED_HOURS = 0.5

let failed = false
for (const store of stores) {
  const teardowns: (() => Promise<unknown>)[] = []
  const t = { teardown: (close: () => Promise<unknown>) => void teardowns.push(close) }
  try {
    const faults = await soak(await (store === 's3' ? onS3(t) : onDisk(t)), (hours / stores.length) * HOUR)
    for (const fault of faults) console.log(`  FAULT  ${fault}`)
    console.log(faults.length === 0 ? '  passed' : `  ${faults.length} faults`)
    failed ||= faults.length > 0
  } finally {
    for (const close of teardowns.reverse()) await close()
  }
}
process.exit(failed ? 1 : 0)

/** Uses and kills an installation for a time in ms, and returns what was wrong. */
async function soak(installation: Installation, ms: number): Promise<string[]> {
  console.log(`\n${installation.name}, ${(ms / 60_000).toPrecision(3)} minutes`)
  const client = new Client(installation.url, await newToken(installation))
  const none = { uploads: 0, downloads: 0, zips: 0, edits: 0, deletions: 0, expiries: 0 }
  const expected: Expected = { shares: new Map(), done: none, faults: [] }
  const end = AbortSignal.timeout(ms)
  const [memory, kills] = await Promise.all([
    measureMemory(installation, end),
    killProcesses(installation, end),
    work(client, installation, expected, end),
  ])
  console.log(
    `  done: ${JSON.stringify(expected.done)}; requests: ${JSON.stringify(client.requests)}; killed: ${kills.join(', ') || 'none'}`,
  )
  await checkAll(client, expected)
  await checkLeftovers(installation, client, expected)
  expected.faults.push(...judged(memory, ms))
  if (client.hung > 0) expected.faults.push(`${client.hung} requests hung for a minute`)
  return expected.faults
}

async function newToken(installation: Installation): Promise<string> {
  const admin = person(installation, await signUp(installation, installation.setupCode))
  await admin.good('PATCH', '/configs/admin', [{ key: 'share.zipCompressionLevel', value: 0 }])
  const { body } = await admin.good('POST', '/auth/tokens', { name: 'soak', scopes: ['shares:read', 'shares:write'] })
  return (JSON.parse(String(body)) as { token: string }).token
}

async function killProcesses({ victims }: Installation, end: AbortSignal): Promise<string[]> {
  const killed: string[] = []
  const every = killEvery * 60_000
  for (;;) {
    await sleep(every, undefined, { signal: end }).catch(() => {})
    if (end.aborted) return killed
    const victim = victims[killed.length % victims.length]
    if (!victim) return killed
    await victim.kill()
    killed.push(victim.name)
  }
}

/** Samples the resident memory of all processes in MB every two seconds. */
async function measureMemory(installation: Installation, end: AbortSignal): Promise<Record<string, number[]>> {
  const samples: Record<string, number[]> = {}
  while (!end.aborted) {
    for (const [name, pid] of Object.entries(installation.processes())) {
      if (pid === undefined) continue
      samples[name] ??= []
      samples[name].push(residentOf(pid))
    }
    await sleep(2_000, undefined, { signal: end }).catch(() => {})
  }
  return samples
}

function judged(samples: Record<string, number[]>, ms: number): string[] {
  return Object.entries(samples).flatMap(([name, all]) => {
    const [first, second] = [all.slice(0, all.length / 2), all.slice(all.length / 2)].map(median) as [number, number]
    console.log(`  memory of ${name}: ${first.toFixed()} MB in the first half, ${second.toFixed()} MB in the second`)
    return ms >= JUDGED_HOURS * HOUR && second > 1.05 * first ? [`the memory of ${name} has grown`] : []
  })
}

/** Deletes all shares and checks that neither rows, objects nor requests are left. */
async function checkLeftovers(installation: Installation, client: Client, { shares, faults }: Expected): Promise<void> {
  for (const id of shares.keys()) await client.call('DELETE', `/shares/${id}`)
  await installation.query(
    "update share set expires_at = now() - interval '400 days', deleted_at = null, completed_at = coalesce(completed_at, now())",
  )
  const left = async () => {
    // An object of a killed upload is reserved for hours, in case its server still writes it.
    await installation.query('update deleted_object set deleted_at = now() where deleted_at > now()')
    const { rows } = await installation.query(
      'select (select count(*) from share) as shares, (select count(*) from file) as files, (select count(*) from pack) as packs, (select count(*) from deleted_object) as deleted',
    )
    const requests = await Promise.all(installation.metricsPorts.map(activeRequests))
    return { ...rows[0], objects: (await installation.objects()).length, requests: requests.reduce((sum, count) => sum + count) }
  }
  const isNothing = (found: object) => Object.values(found).every((count) => Number(count) === 0)
  for (const deadline = Date.now() + 300_000; !isNothing(await left()) && Date.now() < deadline; ) await sleep(1_000)
  const found = await left()
  if (!isNothing(found)) faults.push(`left after everything was deleted: ${JSON.stringify(found)}`)
}

async function activeRequests(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  return sample(await response.text(), 'razorbill_http_requests_active')
}
