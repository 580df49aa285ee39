import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fill, MiB, newShare } from '../support/api.ts'
import { atEnd } from '../support/closing.ts'
import { type Figure, median, seconds } from '../support/figures.ts'
import { memoryOf } from '../support/processes.ts'
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
  /** Absent: a server that this benchmark did not start. */
  program?: Program
}

interface Program {
  /** The process, whose descendants belong to it. */
  pid(): number
  /** Stops it and starts it again on the same data. Returns the seconds to its first response. */
  restart(): Promise<number>
}

type Measure = 'up' | 'down' | 'small'

/** Each peer is started from the program that an environment variable names. */
const peers: [name: string, variable: string, start: (command: string) => Promise<Peer>][] = [
  ['Plik', 'PLIK', startPlik],
  ['copyparty', 'COPYPARTY', startCopyparty],
  ['dufs', 'DUFS', startDufs],
  ['Gokapi', 'GOKAPI_URL', openGokapi],
]

/**
 * Measures Razorbill and other file servers on this machine: a file of 256 MiB up and down, and 500
 * files of 4 KiB up, each with its own protocol. The figures are medians of three rounds in turn.
 * Then it measures each one's memory, and how long it takes to start again.
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
  const rates = running.map((peer) => ({ peer, measured: { up: [], down: [], small: [] } as Record<Measure, number[]> }))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { peer, measured } of rates) {
      const found = await oneRound(peer, round, { large, small })
      if (round === 0) continue // to warm up
      for (const what of ['up', 'down', 'small'] as const) measured[what].push(found[what])
    }
  }
  for (const { peer, measured } of rates) {
    const [up, down, few] = [measured.up, measured.down, measured.small].map((values) => median(values).toFixed())
    const value = `${up} MB/s up, ${down} MB/s down, ${few} files of 4 KiB a second`
    figures.push({ what: peer.name, value: `${value}${await footprint(peer)}`, target: 'none', met: true })
  }
  return figures
}

async function oneRound(peer: Peer, round: number, { large, small }: { large: Blob; small: Blob }): Promise<Record<Measure, number>> {
  let url = ''
  const upload = async () => {
    url = await peer.upload(large, `large ${round}.bin`)
  }
  const up = SIZE / 1e6 / (await seconds(upload))
  const down = SIZE / 1e6 / (await seconds(() => download(url, peer.headers)))
  const few = SMALL / (await seconds(() => (peer.uploadSmall ? peer.uploadSmall() : oneByOne(peer, small, round))))
  return { up, down, small: few }
}

/** Returns the private memory of the peer's processes after the rounds, and the time of a start. */
async function footprint({ program }: Peer): Promise<string> {
  if (!program) return ''
  const { server, postgres, programs } = memoryOf(program.pid())
  return `, ${(server + postgres + programs).toFixed()} MB, starts in ${(await program.restart()).toFixed(2)} s`
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
  let server = await startServer()
  const { cookie, dataDir } = server
  const send = byPage(true)
  return {
    name: 'Razorbill',
    async upload(file) {
      const share = await newShare(server)
      const [id] = await fill(server, share, [file.size])
      return `${server.url}/api/shares/${share}/files/${id}`
    },
    uploadSmall: () => send(server, SMALL),
    headers: { cookie },
    program: {
      pid: () => server.pid,
      async restart() {
        await server.stop()
        return seconds(async () => {
          server = await startServer(dataDir)
        })
      },
    },
  }
}

/** Starts a program, which is ended at the end of the scenario, and waits for its first response. */
async function startPeer(
  command: string,
  words: string[],
  { port, cwd, path = '' }: { port: number; cwd: string; path?: string },
): Promise<{ url: string; program: Program }> {
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  const start = async () => {
    child = spawn(command, words, { cwd, stdio: 'ignore' })
    await waitForResponse(url + path, child)
  }
  atEnd(() => stopProcess(child))
  await start()
  const restart = async () => {
    await stopProcess(child)
    return seconds(start)
  }
  return { url, program: { pid: () => child.pid as number, restart } }
}

async function sent(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  if (!response.ok) throw new Error(`${options.method} ${url} responded with ${response.status}: ${await response.text()}`)
  return response
}

/** Uploads by `PUT`, as dufs and copyparty accept it. */
const byPut = (name: string, { url, program }: Awaited<ReturnType<typeof startPeer>>): Peer => ({
  name,
  program,
  async upload(file, path) {
    const target = `${url}/${encodeURIComponent(path)}`
    await (await sent(target, { method: 'PUT', body: file })).text()
    return target
  },
})

async function startDufs(command: string): Promise<Peer> {
  const [port, folder] = [freePort(), await scratch()]
  return byPut('dufs', await startPeer(command, ['-A', '-b', '127.0.0.1', '-p', String(port), folder], { port, cwd: folder }))
}

async function startCopyparty(command: string): Promise<Peer> {
  const [port, folder] = [freePort(), await scratch()]
  const words = ['-q', '-i', '127.0.0.1', '-p', String(port), '-v', `${folder}::rwmd`]
  return byPut('copyparty', await startPeer(command, words, { port, cwd: folder }))
}

async function startPlik(command: string): Promise<Peer> {
  const [port, folder] = [freePort(), await scratch()]
  const config = `ListenPort = ${port}\nListenAddress = "127.0.0.1"\nNoWebInterface = true\nMaxFileSizeStr = "unlimited"\nDataBackend = "file"\n[DataBackendConfig]\nDirectory = "${folder}/files"\n[MetadataBackendConfig]\nDriver = "sqlite3"\nConnectionString = "${folder}/plik.db"\n`
  await writeFile(join(folder, 'plikd.cfg'), config)
  const { url, program } = await startPeer(command, ['--config', join(folder, 'plikd.cfg')], { port, cwd: folder, path: '/version' })
  return {
    name: 'Plik',
    program,
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
