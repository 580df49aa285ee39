import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MiB } from './api.ts'
import { atEnd } from './closing.ts'
import { seconds } from './figures.ts'
import { freePort, scratch, stopProcess, waitForResponse } from './server.ts'

/** A file server with its own protocol. */
export interface Peer {
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

/** Starts dufs, whose program is `command`, in an empty folder. */
export async function startDufs(command: string): Promise<Peer> {
  const [port, folder] = [freePort(), await scratch()]
  return byPut('dufs', await startPeer(command, ['-A', '-b', '127.0.0.1', '-p', String(port), folder], { port, cwd: folder }))
}

/** Starts copyparty, whose program is `command`, in an empty folder. */
export async function startCopyparty(command: string): Promise<Peer> {
  const [port, folder] = [freePort(), await scratch()]
  const words = ['-q', '-i', '127.0.0.1', '-p', String(port), '-v', `${folder}::rwmd`]
  return byPut('copyparty', await startPeer(command, words, { port, cwd: folder }))
}

/** Starts Plik, whose program is `command`, with an SQLite database. */
export async function startPlik(command: string): Promise<Peer> {
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
export async function openGokapi(url: string): Promise<Peer> {
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
