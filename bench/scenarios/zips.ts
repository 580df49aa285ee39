import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { fill, MiB, newShare } from '../support/api.ts'
import { below, type Figure, median, ratio, seconds } from '../support/figures.ts'
import { type Server, scratch, startServer } from '../support/server.ts'
import { transfer } from '../support/transfer.ts'

const BIG = 1024 * MiB
const COUNT = 20_000
const SMALL = 4096

/**
 * Measures uncompressed zips: one big file against its own download, many small ones against `zip
 * -0`, and the time to the first byte.
 */
export async function zips(): Promise<Figure[]> {
  const server = await startServer()
  return [await bigFile(server), await smallFiles(server), await firstByte(server)]
}

const zipOf = (server: Server, share: string) => `${server.url}/api/shares/${share}/files/zip`

function rate(server: Server, url: string, bytes: number) {
  return async () => bytes / (await seconds(() => transfer([{ method: 'GET', url, headers: { cookie: server.cookie } }], 1))) / 1e6
}

async function bigFile(server: Server): Promise<Figure> {
  const share = await newShare(server)
  const [id] = await fill(server, share, [BIG])
  const file = `${server.url}/api/shares/${share}/files/${id}`
  return ratio(
    'zip of one file of 1 GiB, to its own download',
    0.8,
    'MB/s',
    rate(server, zipOf(server, share), BIG),
    rate(server, file, BIG),
  )
}

async function smallFiles(server: Server): Promise<Figure> {
  const share = await newShare(server)
  await fill(
    server,
    share,
    Array.from({ length: COUNT }, () => SMALL),
  )
  const base = await scratch()
  await mkdir(join(base, 'folder'))
  for (let at = 0; at < COUNT; at++) await writeFile(join(base, 'folder', `file ${at}.bin`), Buffer.alloc(SMALL, 0xa5))
  let round = 0
  const tool = async () => {
    const archive = join(base, `${round++}.zip`)
    return (COUNT * SMALL) / (await seconds(async () => execFileSync('zip', ['-0', '-q', '-r', archive, 'folder'], { cwd: base }))) / 1e6
  }
  return ratio('zip of 20,000 files of 4 KiB over HTTP, to zip -0', 1, 'MB/s', rate(server, zipOf(server, share), COUNT * SMALL), tool)
}

async function firstByte(server: Server): Promise<Figure> {
  const share = await newShare(server)
  await fill(
    server,
    share,
    Array.from({ length: 1000 }, () => SMALL),
  )
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const wait = () =>
      new Promise<void>((resolve, reject) => {
        const sent = request(zipOf(server, share), { headers: { cookie: server.cookie } }, (answer) => {
          answer.once('data', () => {
            resolve()
            sent.destroy()
          })
        })
        sent.on('error', reject)
        sent.end()
      })
    times.push((await seconds(wait)) * 1000)
  }
  return below('first byte of a zip of 1,000 files', median(times), 100, 'ms')
}
