import { setTimeout as sleep } from 'node:timers/promises'
import { announce, call, fill, MiB, newShare } from '../support/api.ts'
import { below, type Figure } from '../support/figures.ts'
import { wholeMemoryOf } from '../support/processes.ts'
import { startServer } from '../support/server.ts'
import { type Load, transfer } from '../support/transfer.ts'

const SIZE = 1024 * MiB
const SLOW = 8 * MiB // bytes per second
const CALM = 30_000 // ms after the start until a server counts as idle

/**
 * Measures the memory of all processes of an idle server, and the API's resident memory during 20
 * uploads, 20 downloads of 1 GiB (half of them slow) and a zip of 1,000 files.
 */
export async function memory(): Promise<Figure[]> {
  const server = await startServer()
  await sleep(CALM)
  const whole = wholeMemoryOf(server.pid)
  const many = await newShare(server)
  await fill(
    server,
    many,
    Array.from({ length: 1000 }, () => 64 * 1024),
  )
  const one = await newShare(server)
  const [id] = await fill(server, one, [SIZE])
  const headers = { cookie: server.cookie }

  const target = await newShare(server)
  const uploads = await Promise.all(Array.from({ length: 20 }, (_, at) => announce(server, target, `${at}.bin`, SIZE)))
  const reads: Load[] = Array.from({ length: 20 }, (_, at) => ({
    method: 'GET',
    url: `${server.url}/api/shares/${one}/files/${id}`,
    headers,
    ...(at % 2 === 0 && { slow: SLOW }),
  }))
  const zip: Load = { method: 'GET', url: `${server.url}/api/shares/${many}/files/zip`, headers, slow: MiB }

  const seen: number[] = []
  const watch = setInterval(() => seen.push(server.resident()), 200)
  const idle = server.resident()
  await Promise.all([...uploads.map(({ parts }) => transfer(parts, 1)), ...reads.map((load) => transfer([load], 1)), transfer([zip], 1)])
  clearInterval(watch)
  for (const { file } of uploads) await call(server, 'DELETE', `/shares/${target}/files/${file.id}`)

  const half = seen.length >> 1
  const [early, late] = [Math.max(...seen.slice(0, half)), Math.max(...seen.slice(half))]
  return [
    below('memory of all processes at idle', whole, 140, 'MB'),
    below(
      'resident memory at 20 uploads and 20 downloads of 1 GiB and a zip',
      Math.max(early, late),
      300,
      'MB',
      `idle ${idle.toFixed(0)} MB`,
    ),
    below('growth of its peak from the first half to the second', late / early, 1.25, '×'),
  ]
}
