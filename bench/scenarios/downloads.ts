import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fill, MiB, newShare } from '../support/api.ts'
import { type Figure, ratio, seconds } from '../support/figures.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { startServer } from '../support/server.ts'
import { transfer } from '../support/transfer.ts'

const SIZE = 1024 * MiB

/**
 * Measures downloads of a 1 GiB file, on one and on four connections, against nginx with sendfile.
 */
export async function downloads(): Promise<Figure[]> {
  if (!hasNginx()) return [{ what: 'download', value: 'not measured: nginx is not installed', target: 'at least 0.8', met: false }]
  const [server, nginx] = [await startServer(), await startNginx()]
  const share = await newShare(server)
  const [id] = await fill(server, share, [SIZE])
  const objects = join(server.dataDir, 'objects', 'shares')
  const stored = (await readdir(objects, { recursive: true, withFileTypes: true })).find((entry) => entry.isFile())!
  await copyFile(join(stored.parentPath, stored.name), join(nginx.folder, 'big.bin'))

  const rate = (url: string, connections: number) => async () => {
    const loads = Array.from({ length: connections }, () => ({ method: 'GET', url, headers: { cookie: server.cookie } }))
    return (SIZE * connections) / (await seconds(() => transfer(loads, connections))) / 1e6
  }
  const ours = `${server.url}/api/shares/${share}/files/${id}`
  const ceiling = `${nginx.url}/big.bin`
  return [
    await ratio('download of 1 GiB on 1 connection, to nginx sendfile', 0.8, 'MB/s', rate(ours, 1), rate(ceiling, 1)),
    await ratio('download of 1 GiB on 4 connections, to nginx sendfile', 0.8, 'MB/s', rate(ours, 4), rate(ceiling, 4)),
  ]
}
