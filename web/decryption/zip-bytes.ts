import { offsetOf, pieceAt, pieceHeader, planZip, type ZipPlan } from '../../src/downloads/zip/layout.ts'
import { zipNames } from '../../src/downloads/zip/names.ts'
import type { Bytes } from '../../uploader/encryption/bytes.ts'
import type { PlainRange } from '../../uploader/encryption/segments.ts'
import { fileChunks } from './file-bytes.ts'
import type { DecryptedFile, DecryptedShare } from './share.ts'
import { allOf } from './streams.ts'

/** Files up to this size are fetched before their turn. */
const smallBytes = 524_288
/** How many files are fetched before their turn. */
const ahead = 8

/** A planned zip with the files that its entries have. */
export interface PlannedZip {
  plan: ZipPlan
  files: readonly DecryptedFile[]
}

/** Plans the zip of files, whose names lose their first `cut` characters. */
export function planOf({ openedAt }: DecryptedShare, files: readonly DecryptedFile[], cut: number): PlannedZip {
  const names = zipNames(files.map(({ name }) => name.slice(cut)))
  const modified = new Date(openedAt)
  const entries = files.map(({ id, name, size, crc32 }, index) => ({ name: names[index] ?? name, size, crc32, modified, key: id }))
  return { plan: planZip(entries), files }
}

/**
 * Generates the bytes of a zip from `start` up to `end`.
 * @throws {EncryptionError} `damaged`: a file in it is
 * @throws {Error} the stored bytes of a file can't be read
 */
export async function* zipChunks(
  share: DecryptedShare,
  { plan, files }: PlannedZip,
  { start, end }: PlainRange,
  signal: AbortSignal,
): AsyncGenerator<Bytes, void> {
  const small = new SmallFiles(share, files, signal)
  for (let piece = pieceAt(plan, start); piece < plan.offsets.length - 1 && offsetOf(plan, piece) < end; piece++) {
    const begin = offsetOf(plan, piece)
    const header = pieceHeader(plan, piece)
    const part = header.subarray(Math.max(start - begin, 0), Math.max(end - begin, 0))
    if (part.length > 0) yield part
    const dataAt = begin + header.length
    const data = { start: Math.max(start - dataAt, 0), end: Math.min(end, offsetOf(plan, piece + 1)) - dataAt }
    const file = files[piece]
    if (!file || data.end <= data.start) continue
    const isWhole = data.start === 0 && data.end === file.size
    if (isWhole && file.size <= smallBytes) yield* await small.read(piece)
    else yield* fileChunks(share, file, signal, data)
  }
}

/** Fetches small files before their turn, because each takes a request. */
class SmallFiles {
  readonly #share: DecryptedShare
  readonly #files: readonly DecryptedFile[]
  readonly #signal: AbortSignal
  readonly #started = new Map<number, Promise<Bytes[]>>()

  constructor(share: DecryptedShare, files: readonly DecryptedFile[], signal: AbortSignal) {
    this.#share = share
    this.#files = files
    this.#signal = signal
  }

  read(index: number): Promise<Bytes[]> {
    for (let next = index; next < Math.min(index + ahead, this.#files.length); next++) this.#start(next)
    const bytes = this.#started.get(index) ?? Promise.resolve([])
    this.#started.delete(index)
    return bytes
  }

  #start(index: number): void {
    const file = this.#files[index]
    if (!file || file.size === 0 || file.size > smallBytes || this.#started.has(index)) return
    const bytes = allOf(fileChunks(this.#share, file, this.#signal))
    bytes.catch(() => {}) // `read` reports it
    this.#started.set(index, bytes)
  }
}
