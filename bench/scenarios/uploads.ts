import { execFileSync } from 'node:child_process'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, MiB, newShare } from '../support/api.ts'
import { type Figure, ratio, seconds } from '../support/figures.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { startServer } from '../support/server.ts'
import { transfer } from '../support/transfer.ts'

const PART = 16 * MiB
const PARTS = 64 // 1 GiB: parts have 16 MiB from that size on
const SIZE = PARTS * PART

/**
 * Measures parts of 16 MiB on 4 connections to the disk store against nginx dav PUT of the same
 * bodies in one process. Each round starts after the previous one is flushed and deleted.
 */
export async function uploads(): Promise<Figure[]> {
  if (!hasNginx()) return [{ what: 'upload', value: 'not measured: nginx is not installed', target: 'at least 0.5', met: false }]
  const [server, nginx] = [await startServer(), await startNginx()]
  let round = 0

  async function ours(): Promise<number> {
    const share = await newShare(server)
    const file = await call<{ id: string; partSize: number }>(server, 'POST', `/shares/${share}/files`, { name: 'big.bin', size: SIZE })
    if (file.partSize !== PART) throw new Error(`parts have ${file.partSize} bytes`)
    const loads = Array.from({ length: PARTS }, (_, at) => ({
      method: 'PUT',
      url: `${server.url}/api/shares/${share}/files/${file.id}/parts/${at + 1}`,
      send: PART,
      headers: { cookie: server.cookie, 'content-type': 'application/octet-stream' },
    }))
    execFileSync('sync')
    const taken = await seconds(() => transfer(loads, 4))
    await call(server, 'DELETE', `/shares/${share}/files/${file.id}`)
    while ((await readdir(join(server.dataDir, 'objects', 'tmp'))).length > 0) await sleep(50)
    return SIZE / taken / 1e6
  }

  async function ceiling(): Promise<number> {
    round++
    const loads = Array.from({ length: PARTS }, (_, at) => ({ method: 'PUT', url: `${nginx.url}/${round}/${at}`, send: PART }))
    execFileSync('sync')
    const taken = await seconds(() => transfer(loads, 4))
    await rm(join(nginx.folder, String(round)), { recursive: true })
    return SIZE / taken / 1e6
  }

  return [await ratio('upload of 16 MiB parts on 4 connections, to nginx dav PUT', 0.5, 'MB/s', ours, ceiling, 5)]
}
