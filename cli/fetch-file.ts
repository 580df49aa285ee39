import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backoff, pause } from '../uploader/backoff.ts'
import { EncryptionError } from '../uploader/encryption/error.ts'
import { openStream, type SealedFile } from '../uploader/encryption/open-stream.ts'
import { resumable, sealedRange } from '../uploader/encryption/segments.ts'
import { watchStall } from '../uploader/stall-watch.ts'
import { parseJson, parseRetryAfter } from '../uploader/transport.ts'
import { Failure, failureOf } from './failure.ts'
import type { Meter } from './meter.ts'
import { isPermitted } from './redirect.ts'
import { type Server, textOf, unreachable } from './server.ts'
import type { StateFile } from './state-file.ts'
import type { Target } from './target.ts'

/** One file of a share, and where it is saved. */
export interface Download {
  server: Server
  /** The share's id. */
  id: string
  file: string
  name: string
  /** Bytes. */
  size: number
  /** How to decrypt it; null for a plain file. */
  sealed: SealedFile | null
  /** Whether an earlier run has downloaded it. */
  isDone: boolean
  target: Target
  state: StateFile
}

const stallTimeout = 60_000 // ms without a byte
const attempts = 8 // without progress
const [retryDelay, retryDelayMax] = [1_000, 30_000] // ms
const retryAfterMax = 300_000 // ms

/** A failure that may not happen again. */
class TemporaryFailure extends Error {
  readonly failure: Failure
  readonly wait: number | null

  constructor(failure: Failure, wait: number | null = null) {
    super(failure.message)
    this.failure = failure
    this.wait = wait
  }
}

/**
 * Downloads a file under a temporary name and renames it when it is complete. Resumes after lost
 * connections. @throws Failure
 */
export async function fetchFile(download: Download, meter: Meter, signal: AbortSignal): Promise<void> {
  const { target, state, name, file, size } = download
  const part = `${dirname(name)}/.${file}.part`.replace(/^\.\//, '')
  const handle = await target.open(part)
  try {
    let offset = await begin(download, handle)
    meter.addExisting(offset)
    for (let attempt = 1; offset < size || attempt === 1; attempt++) {
      const before = offset
      const problem = await receive(download, handle, offset, meter, signal).catch(asTemporary(signal))
      if (!problem) break
      offset = await resumeAt(download, handle, meter)
      if (offset > before) attempt = 1
      if (attempt >= attempts) throw problem.failure
      await pause(problem.wait ?? backoff(attempt, retryDelay, retryDelayMax), signal)
      if (signal.aborted) throw problem.failure
    }
    await handle.datasync()
  } catch (error) {
    if (error instanceof Failure && error.code === 'file_damaged') await target.remove(part)
    throw error
  } finally {
    await handle.close()
  }
  const saved = await target.look(part)
  // Before the file has its name, so that the next run recognizes it.
  if (saved) state.setItem(`done:${file}`, `${saved.size}:${saved.mtimeMs}`)
  await target.move(part, name)
  meter.fileDone()
}

/**
 * Returns how many bytes of an earlier run can be kept: none when the version that they belong to
 * is unknown, and whole segments of an encrypted file.
 */
async function begin({ state, file, size, sealed }: Download, handle: FileHandle): Promise<number> {
  const offset = (await handle.stat()).size
  const known = state.getItem(`etag:${file}`) === null || offset > size ? 0 : Math.max(0, Math.min(offset, size - 1)) // one byte is left to request
  const kept = sealed ? resumable(known) : known
  if (kept !== offset) await handle.truncate(kept)
  return kept
}

/**
 * Returns how many bytes can be kept after a lost connection, and discards the others: parts of a
 * segment, whose salt is not stored, and the last byte of an encrypted file, so that its end is
 * authenticated.
 */
async function resumeAt({ size, sealed }: Download, handle: FileHandle, meter: Meter): Promise<number> {
  const here = (await handle.stat()).size
  if (!sealed) return here
  const kept = resumable(Math.max(0, Math.min(here, size - 1)))
  await handle.truncate(kept)
  meter.addExisting(kept - here)
  return kept
}

/** Receives the missing bytes. @throws TemporaryFailure or Failure */
async function receive(download: Download, handle: FileHandle, offset: number, meter: Meter, outer: AbortSignal): Promise<void> {
  const { server, id, file, state, size, sealed } = download
  const etag = state.getItem(`etag:${file}`)
  const first = sealed && offset > 0 ? sealedRange(size, { start: offset, end: size }).start : offset // in the stored bytes
  const range: Record<string, string> = offset > 0 && etag ? { range: `bytes=${first}-`, 'if-range': etag } : {}
  await watchStall(outer, stallTimeout, async ({ signal, alive }) => {
    const url = `${server.url}/api/shares/${encodeURIComponent(id)}/files/${encodeURIComponent(file)}`
    const response = await bytesFrom(server, url, range, signal)
    if (!response.ok) throw await refusal(response)
    const start = response.status === 206 ? startOf(response, first, offset) : 0
    if (start < offset) {
      await handle.truncate(0)
      meter.addExisting(-offset)
    }
    state.setItem(`etag:${file}`, response.headers.get('etag') ?? '')
    const written = await write(plainBytes(response, sealed, start), handle, { start, end: size }, (bytes) => {
      alive()
      meter.received(bytes)
    })
    if (written < size) throw new Error('the response ended too early')
  })
}

/**
 * Follows one redirect to the server's store, without credentials. Where the target is not
 * permitted, the server itself must send the bytes.
 */
async function bytesFrom(server: Server, url: string, range: Record<string, string>, signal: AbortSignal): Promise<Response> {
  const response = await server.fetch(url, { headers: { ...server.headers(), ...range }, redirect: 'manual', signal })
  if (![302, 303, 307].includes(response.status)) return response
  await response.body?.cancel()
  const target = response.headers.get('location') ?? ''
  const address = URL.canParse(target, url) ? new URL(target, url).href : ''
  if (await isPermitted(address, server.url)) return server.fetch(address, { headers: range, redirect: 'manual', signal })
  return server.fetch(url, { headers: { ...server.headers(), range: 'bytes=0-' }, redirect: 'manual', signal })
}

interface ByteRange {
  start: number
  end: number
}

/** Returns the plaintext of a response from `start` on. It is a multiple of whole segments. */
function plainBytes({ body }: Response, sealed: SealedFile | null, start: number): ReadableStream<Uint8Array> {
  const stored = body ?? new Blob([]).stream()
  if (!sealed) return stored
  return openStream(stored, sealed, start > 0 ? { range: sealedRange(sealed.size, { start, end: sealed.size }) } : {})
}

async function write(
  bytes: ReadableStream<Uint8Array>,
  handle: FileHandle,
  { start, end }: ByteRange,
  onBytes: (bytes: number) => void,
): Promise<number> {
  let position = start
  for await (const chunk of bytes) {
    if (position + chunk.byteLength > end) throw new Failure('failure', 'wrong_size', 'The server sends more bytes than the share says.')
    await writeWhole(handle, chunk, position)
    position += chunk.byteLength
    onBytes(chunk.byteLength)
  }
  return position
}

async function writeWhole(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.byteLength - done, position + done).catch(diskFailure)
    done += bytesWritten
  }
}

/** Returns `offset`, unless the response does not begin at the byte that was `expected`. */
function startOf(response: Response, expected: number, offset: number): number {
  const [, start] = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '') ?? []
  if (Number(start) !== expected) throw new Failure('failure', 'unexpected_answer', 'The server sent another part than it was asked for.')
  return offset
}

async function refusal(response: Response): Promise<Failure | TemporaryFailure> {
  const failure = failureOf(response.status, parseJson(await textOf(response)))
  const isTemporary = response.status >= 500 || response.status === 429
  return isTemporary ? new TemporaryFailure(failure, waitOf(response)) : failure
}

function waitOf(response: Response): number | null {
  const wait = parseRetryAfter(response.headers.get('retry-after'))
  return wait === null ? null : Math.min(wait, retryAfterMax)
}

function diskFailure(error: NodeJS.ErrnoException): never {
  throw new Failure('failure', 'not_written', `The file cannot be written (${error.code}).`)
}

/** Lost connections are temporary; error responses and disk errors are not. */
function asTemporary(signal: AbortSignal) {
  return (error: unknown): TemporaryFailure => {
    if (error instanceof TemporaryFailure) return error
    if (error instanceof EncryptionError) throw new Failure('failure', 'file_damaged', error.message)
    if (error instanceof Failure && error.ending !== 'unreachable') throw error
    if (signal.aborted) throw error
    return new TemporaryFailure(error instanceof Failure ? error : unreachable('The server', error))
  }
}
