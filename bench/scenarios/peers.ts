import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fill, MiB, newShare } from '../support/api.ts'
import { atEnd } from '../support/closing.ts'
import { type Figure, median, seconds } from '../support/figures.ts'
import { freePort, scratch, startServer, stopProcess, waitForResponse } from '../support/server.ts'
import { byPage } from './small-files.ts'

const SIZE = 256 * MiB
const SMALL = 500 // files of 4 KiB
const ROUNDS = 3

/** A file server with its own protocol. */
interface Peer {
  name: string
  /** Uploads a file and returns the URL to download it from. */
  upload(file: Blob, name: string): Promise<string>
  /** Uploads many files in the peer's fastest way. Default: one after another on four connections. */
  uploadSmall?(): Promise<void>
  /** Headers for downloads. */
  headers?: Record<string, string>
}

/** Each peer is started from the program that an environment variable names. */
const peers: [name: string, variable: string, start: (program: string) => Promise<Peer>][] = [
  ['Plik', 'PLIK', startPlik],
  ['copyparty', 'COPYPARTY', startCopyparty],
  ['dufs', 'DUFS', startDufs],
  ['Gokapi', 'GOKAPI_URL', openGokapi],
]

/**
 * Measures Razorbill and other file servers on this machine: a file of 256 MiB up and down, and 500
 * files of 4 KiB up, each with its own protocol. The figures are medians of three rounds in turn.
 */
export async function peersScenario(): Promise<Figure[]> {
  const figures: Figure[] = []
  const running = [await razorbill()]
  for (const [name, variable, start] of peers) {
    const program = process.env[variable]
    if (program) running.push(await start(program))
    else figures.push({ what: name, value: `not measured: set ${variable}`, target: 'none', met: true })
  }
  const [large, small] = [await zeros(SIZE), await zeros(4096)]
  const rates = running.map((peer) => ({ peer, up: [] as number[], down: [] as number[], small: [] as number[] }))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { peer, ...measured } of rates) {
      let url = ''
      const up =
        SIZE /
        1e6 /
        (await seconds(async () => {
          url = await peer.upload(large, `large ${round}.bin`)
        }))
      const down = SIZE / 1e6 / (await seconds(() => download(url, peer.headers)))
      const few = SMALL / (await seconds(() => (peer.uploadSmall ? peer.uploadSmall() : oneByOne(peer, small, round))))
      if (round === 0) continue // to warm up
      measured.up.push(up)
      measured.down.push(down)
      measured.small.push(few)
    }
  }
  for (const { peer, up, down, small } of rates) {
    const value = `${median(up).toFixed()} MB/s up, ${median(down).toFixed()} MB/s down, ${median(small).toFixed()} files of 4 KiB a second`
    figures.push({ what: peer.name, value, target: 'none', met: true })
  }
  return figures
}

async function zeros(size: number): Promise<Blob> {
  const path = join(await scratch(), 'file')
  await writeFile(path, Buffer.alloc(size, 0x5a))
  return openAsBlob(path)
}

async function download(url: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, { headers })
  let received = 0
  for await (const chunk of response.body ?? []) received += (chunk as Uint8Array).length
  if (!response.ok || received < SIZE) throw new Error(`${url} responded with ${response.status} and ${received} bytes`)
}

async function oneByOne(peer: Peer, small: Blob, round: number): Promise<void> {
  let next = 0
  const run = async () => {
    for (let n = next++; n < SMALL; n = next++) await peer.upload(small, `small ${round} ${n}.txt`)
  }
  await Promise.all([run(), run(), run(), run()])
}

async function razorbill(): Promise<Peer> {
  const server = await startServer()
  const send = byPage(true)
  return {
    name: 'Razorbill',
    async upload(file) {
      const share = await newShare(server)
      const [id] = await fill(server, share, [file.size])
      return `${server.url}/api/shares/${share}/files/${id}`
    },
    uploadSmall: () => send(server, SMALL),
    headers: { cookie: server.cookie },
  }
}

/** Starts a program, which is ended at the end of the scenario, and waits for its first response. */
async function startPeer(program: string, words: string[], port: number, cwd: string, path = ''): Promise<string> {
  const child: ChildProcess = spawn(program, words, { cwd, stdio: 'ignore' })
  atEnd(() => stopProcess(child))
  const url = `http://127.0.0.1:${port}`
  await waitForResponse(url + path, child)
  return url
}

async function sent(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  if (!response.ok) throw new Error(`${options.method} ${url} responded with ${response.status}: ${await response.text()}`)
  return response
}

/** Uploads by `PUT`, as dufs and copyparty accept it. */
const byPut = (name: string, url: string): Peer => ({
  name,
  async upload(file, path) {
    const target = `${url}/${encodeURIComponent(path)}`
    await (await sent(target, { method: 'PUT', body: file })).text()
    return target
  },
})

async function startDufs(program: string): Promise<Peer> {
  const [port, folder] = [freePort(), await scratch()]
  return byPut('dufs', await startPeer(program, ['-A', '-b', '127.0.0.1', '-p', String(port), folder], port, folder))
}

async function startCopyparty(program: string): Promise<Peer> {
  const [port, folder] = [freePort(), await scratch()]
  const words = ['-q', '-i', '127.0.0.1', '-p', String(port), '-v', `${folder}::rwmd`]
  return byPut('copyparty', await startPeer(program, words, port, folder))
}

async function startPlik(program: string): Promise<Peer> {
  const [port, folder] = [freePort(), await scratch()]
  const config = `ListenPort = ${port}\nListenAddress = "127.0.0.1"\nNoWebInterface = true\nMaxFileSizeStr = "unlimited"\nDataBackend = "file"\n[DataBackendConfig]\nDirectory = "${folder}/files"\n[MetadataBackendConfig]\nDriver = "sqlite3"\nConnectionString = "${folder}/plik.db"\n`
  await writeFile(join(folder, 'plikd.cfg'), config)
  const url = await startPeer(program, ['--config', join(folder, 'plikd.cfg')], port, folder, '/version')
  return {
    name: 'Plik',
    async upload(file, name) {
      const body = new FormData()
      body.set('file', file, name)
      return (await (await sent(url, { method: 'POST', body })).text()).trim()
    },
  }
}

/** Uses a running Gokapi, because it asks for its set-up in a browser; `GOKAPI_KEY` is an API key. */
async function openGokapi(url: string): Promise<Peer> {
  const headers = { apikey: process.env.GOKAPI_KEY ?? '' }
  const chunkSize = 45 * MiB
  return {
    name: 'Gokapi',
    async upload(file, filename) {
      const uuid = randomUUID()
      for (let offset = 0; offset < file.size; offset += chunkSize) {
        const body = new FormData()
        body.set('file', file.slice(offset, offset + chunkSize), filename)
        for (const [name, value] of Object.entries({ uuid, filesize: file.size, offset })) body.set(name, String(value))
        await (await sent(`${url}/api/chunk/add`, { method: 'POST', headers, body })).text()
      }
      const details = { uuid, filename, filesize: String(file.size), allowedDownloads: '0', expiryDays: '1' }
      const response = await sent(`${url}/api/chunk/complete`, { method: 'POST', headers: { ...headers, ...details } })
      const { FileInfo } = (await response.json()) as { FileInfo: { Id: string } }
      return `${url}/downloadFile?id=${FileInfo.Id}`
    },
  }
}
