import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fetchTransport } from '../../uploader/fetch-transport.ts'
import { joinBlobs } from '../../uploader/pack.ts'
import type { NewUpload } from '../../uploader/types.ts'
import { Uploader } from '../../uploader/uploader.ts'
import { call, newShare } from '../support/api.ts'
import { type Figure, median, seconds } from '../support/figures.ts'
import { cpuOf } from '../support/processes.ts'
import { hasRgw, startRgw } from '../support/rgw.ts'
import { type Server, scratch, startServer } from '../support/server.ts'

const SIZE = 4096
const ROUNDS = 2
const program = resolve(import.meta.dirname, '../../cli/main.ts')

type Upload = (server: Server, count: number) => Promise<void>
interface Target {
  rate: number
  /** Milliseconds of CPU of the API process for each file. */
  cpu?: number
}

/**
 * Measures uploads of 500 and 5,000 files of 4 KiB until their share is open: by the uploader of the
 * pages and by the command line, which send packs, file by file, and in one request. To the disk, and
 * to a Ceph gateway.
 */
export async function smallFiles(): Promise<Figure[]> {
  const figures: Figure[] = []
  const disk = await startServer()
  const token = await newToken(disk)
  figures.push(await measured(disk, 'page, 500 files to disk', 500, byPage(true), { rate: 1_000, cpu: 1 }))
  figures.push(await measured(disk, 'page, 500 files to disk, one by one', 500, byPage(false), { rate: 0 }))
  figures.push(await measured(disk, 'page, 5,000 files to disk', 5_000, byPage(true), { rate: 1_000, cpu: 1 }))
  figures.push(await measured(disk, 'command line, 500 files to disk', 500, byCommand(token), { rate: 1_000, cpu: 1 }))
  figures.push(await measured(disk, 'command line, 5,000 files to disk', 5_000, byCommand(token), { rate: 1_000, cpu: 1 }))
  figures.push(await measured(disk, 'one request, 500 files to disk', 500, byForm, { rate: 1_000, cpu: 1 }))
  await disk.stop()
  if (!hasRgw()) return figures
  const bucket = await startRgw()
  const s3 = await startServer(undefined, bucket.variables)
  figures.push(await measured(s3, 'page, 500 files to S3', 500, byPage(true), { rate: 500 }))
  figures.push(await measured(s3, 'page, 500 files to S3, one by one', 500, byPage(false), { rate: 0 }))
  figures.push(await measured(s3, 'page, 5,000 files to S3', 5_000, byPage(true), { rate: 500 }))
  return figures
}

async function measured(server: Server, what: string, count: number, upload: Upload, { rate, cpu }: Target): Promise<Figure> {
  const rates: number[] = []
  const costs: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const before = cpuOf(server.pid)
    const taken = await seconds(() => upload(server, count))
    if (round === 0) continue // to warm up
    rates.push(count / taken)
    costs.push(((cpuOf(server.pid) - before) * 1000) / count)
  }
  const [files, cost] = [median(rates), median(costs)]
  return {
    what,
    value: `${Math.round(files)} files/s, ${cost.toFixed(2)} ms of CPU a file`,
    target: rate === 0 ? 'none' : `at least ${rate} files/s${cpu ? `, at most ${cpu} ms` : ''}`,
    met: files >= rate && (cpu === undefined || cost <= cpu),
  }
}

/** Returns how the pages upload files of 4 KiB, in packs or one by one. */
export function byPage(usesPacks: boolean): Upload {
  return async (server, count) => {
    const bytes = randomBytes(SIZE)
    const files = Array.from({ length: count }, (_, at): NewUpload => {
      const blob = new Blob([bytes])
      const name = `folder/file ${String(at).padStart(6, '0')}.txt`
      return { source: { name, size: SIZE, type: 'text/plain', lastModified: 0, slice: (start, end) => blob.slice(start, end) } }
    })
    const transport = fetchTransport({ baseUrl: server.url, headers: { cookie: server.cookie } })
    const packs = usesPacks ? { packs: joinBlobs } : {}
    const uploader = new Uploader({ shareId: await newShare(server), transport, renewSession: async () => false, ...packs })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    uploader.on('state', (state) => {
      if (state === 'completed') resolve()
      if (state === 'stopped' || state === 'incomplete') reject(new Error(`The upload ended as ${state}`))
    })
    uploader.add(files)
    uploader.start()
    await promise
  }
}

async function byForm(server: Server, count: number): Promise<void> {
  const form = new FormData()
  const bytes = new Blob([randomBytes(SIZE)])
  for (let at = 0; at < count; at++) form.append('file', bytes, `folder/file ${at}.txt`)
  const response = await fetch(`${server.url}/api/upload`, { method: 'POST', headers: { cookie: server.cookie }, body: form })
  if (!response.ok) throw new Error(`The server responded to the form with ${response.status}: ${await response.text()}`)
}

function byCommand(token: string): Upload {
  const folders = new Map<number, Promise<string>>()
  return async (server, count) => {
    if (!folders.has(count)) folders.set(count, folderOf(count))
    const env = { PATH: process.env.PATH, HOME: await scratch(), RAZORBILL_URL: server.url, RAZORBILL_TOKEN: token }
    const command = spawn(process.execPath, [program, 'up', await folders.get(count)!, '--quiet'], { env, stdio: 'ignore' })
    const [code] = await once(command, 'exit')
    if (code !== 0) throw new Error(`razorbill up ended with ${code}`)
  }
}

async function folderOf(count: number): Promise<string> {
  const folder = join(await scratch(), 'files')
  await mkdir(folder)
  const bytes = randomBytes(SIZE)
  for (let at = 0; at < count; at++) await writeFile(join(folder, `file ${at}.txt`), bytes)
  return folder
}

async function newToken(server: Server): Promise<string> {
  const scopes = ['shares:read', 'shares:write']
  return (await call<{ token: string }>(server, 'POST', '/auth/tokens', { name: 'bench', scopes })).token
}
