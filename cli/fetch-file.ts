import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backoff, pause } from '../uploader/backoff.ts'
import { watchStall } from '../uploader/stall-watch.ts'
import { parseJson, parseRetryAfter } from '../uploader/transport.ts'
import { Failure, failureOf } from './failure.ts'
import type { Meter } from './meter.ts'
import { isPermitted } from './redirect.ts'
import { type Server, textOf, unreachable } from './server.ts'
import type { StateFile } from './state-file.ts'
import type { Target } from './target.ts'

/** One file of a share, and where it goes. */
export interface Download {
  server: Server
  /** The share's. */
  id: string
  file: string
  name: string
  /** Bytes. */
  size: number
  /** It is there already, from an earlier try. */
  here: boolean
  target: Target
  state: StateFile
}

const stallTimeout = 60_000 // ms without a byte
const attempts = 8 // without a byte in between
const [firstPause, longestPause] = [1_000, 30_000] // ms
const longestWait = 300_000 // ms, whatever the server asks for

/** It failed and may go well the next time. */
class Passing extends Error {
  readonly failure: Failure
  readonly wait: number | null

  constructor(failure: Failure, wait: number | null = null) {
    super(failure.message)
    this.failure = failure
    this.wait = wait
  }
}

/** Downloads one file beside its place and moves it there when it is whole; a broken connection is taken up again. Throws a Failure. */
export async function fetchFile(download: Download, meter: Meter, signal: AbortSignal): Promise<void> {
  const { target, state, name, file, size } = download
  const part = `${dirname(name)}/.${file}.part`.replace(/^\.\//, '')
  const handle = await target.open(part)
  try {
    let had = await begin(download, handle)
    meter.had(had)
    for (let attempt = 1; had < size || attempt === 1; attempt++) {
      const before = had
      const passing = await receive(download, handle, had, meter, signal).catch(passingOnly(signal))
      had = (await handle.stat()).size
      if (!passing) break
      if (had > before) attempt = 1
      if (attempt >= attempts) throw passing.failure
      await pause(passing.wait ?? backoff(attempt, firstPause, longestPause), signal)
      if (signal.aborted) throw passing.failure
    }
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await target.move(part, name)
  const { size: written, mtimeMs } = (await target.look(name))!
  state.setItem(`done:${file}`, `${written}:${mtimeMs}`)
  meter.fileDone()
}

/** How many bytes of the file are here. Without knowing of which version they are, they are worth nothing. */
async function begin({ state, file, size }: Download, handle: FileHandle): Promise<number> {
  const had = (await handle.stat()).size
  const worth = state.getItem(`etag:${file}`) === null || had > size ? 0 : Math.max(0, Math.min(had, size - 1)) // one byte is left to ask for
  if (worth !== had) await handle.truncate(worth)
  return worth
}

/** Receives what is missing. Throws Passing, or a Failure. */
async function receive(download: Download, handle: FileHandle, had: number, meter: Meter, outer: AbortSignal): Promise<void> {
  const { server, id, file, state, size } = download
  const etag = state.getItem(`etag:${file}`)
  const range: Record<string, string> = had > 0 && etag ? { range: `bytes=${had}-`, 'if-range': etag } : {}
  await watchStall(outer, stallTimeout, async ({ signal, alive }) => {
    const url = `${server.url}/api/shares/${encodeURIComponent(id)}/files/${encodeURIComponent(file)}`
    const response = await bytesFrom(server, url, range, signal)
    if (!response.ok) throw await refusal(response)
    const start = response.status === 206 ? startOf(response, had) : 0
    if (start < had) {
      await handle.truncate(0)
      meter.had(-had)
    }
    state.setItem(`etag:${file}`, response.headers.get('etag') ?? '')
    const written = await write(response, handle, { start, end: size }, (bytes) => {
      alive()
      meter.came(bytes)
    })
    if (written < size) throw new Error('the answer ended too early')
  })
}

/** A server may send us on to its store, once, and without what identifies us; where that is no fit place, it is asked for the bytes itself. */
async function bytesFrom(server: Server, url: string, range: Record<string, string>, signal: AbortSignal): Promise<Response> {
  const response = await server.fetch(url, { headers: { ...server.headers(), ...range }, redirect: 'manual', signal })
  if (![302, 303, 307].includes(response.status)) return response
  await response.body?.cancel()
  const target = response.headers.get('location') ?? ''
  const address = URL.canParse(target, url) ? new URL(target, url).href : ''
  if (await isPermitted(address, server.url)) return server.fetch(address, { headers: range, redirect: 'manual', signal })
  return server.fetch(url, { headers: { ...server.headers(), range: 'bytes=0-' }, redirect: 'manual', signal })
}

interface Stretch {
  start: number
  end: number
}

async function write(response: Response, handle: FileHandle, { start, end }: Stretch, came: (bytes: number) => void): Promise<number> {
  let position = start
  for await (const chunk of response.body ?? []) {
    if (position + chunk.byteLength > end) throw new Failure('failure', 'wrong_size', 'The server sends more bytes than the share says.')
    await writeWhole(handle, chunk, position)
    position += chunk.byteLength
    came(chunk.byteLength)
  }
  return position
}

async function writeWhole(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.byteLength - done, position + done).catch(diskFailure)
    done += bytesWritten
  }
}

function startOf(response: Response, wanted: number): number {
  const [, start] = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '') ?? []
  if (Number(start) !== wanted) throw new Failure('failure', 'unexpected_answer', 'The server sent another part than it was asked for.')
  return wanted
}

async function refusal(response: Response): Promise<Failure | Passing> {
  const failure = failureOf(response.status, parseJson(await textOf(response)))
  const passing = response.status >= 500 || response.status === 429
  return passing ? new Passing(failure, waitOf(response)) : failure
}

function waitOf(response: Response): number | null {
  const wait = parseRetryAfter(response.headers.get('retry-after'))
  return wait === null ? null : Math.min(wait, longestWait)
}

function diskFailure(error: NodeJS.ErrnoException): never {
  throw new Failure('failure', 'not_written', `The file cannot be written (${error.code}).`)
}

/** What breaks on the way is worth another try; a refusal is not, and neither is a failure of the disk. */
function passingOnly(signal: AbortSignal) {
  return (error: unknown): Passing => {
    if (error instanceof Passing) return error
    if (error instanceof Failure && error.ending !== 'unreachable') throw error
    if (signal.aborted) throw error
    return new Passing(error instanceof Failure ? error : unreachable('The server', error))
  }
}
