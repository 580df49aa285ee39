import type { Readable, Writable } from 'node:stream'

/** A byte range of an object: both ends are inclusive and lie inside the object. */
export interface ByteRange {
  start: number
  end: number
}

/** An upload in parts. Every part but the last has `partSize` bytes; `id` is the store's own name for it. */
export interface Upload {
  key: string
  id: string
  size: number
  partSize: number
}

/** What the ledger keeps of a part that has arrived whole. */
export interface StoredPart {
  number: number
  size: number
  etag: string
}

/** The store could not do it now: down, throttled or time out. Answered 503, worth trying again. */
export class StoreUnavailable extends Error {}
/** No room left for what was to be written. Answered 507; nothing was kept. */
export class StoreFull extends Error {}
/** No such object or upload: removed, aborted, or never finished. */
export class ObjectMissing extends Error {}
/** The body was shorter or longer than announced, or was cut. The part was not kept. */
export class WrongLength extends Error {}

/** An address that lets whoever has it do one thing until `expiresAt`; `headers` must be sent with it. */
export interface SignedRequest {
  url: string
  headers: Record<string, string>
  expiresAt: Date
}

/** How browsers reach the store past us. What it hands out stays good until it expires: sign only for who may. */
export interface DirectAccess {
  /** Where pages send parts to, for their Content-Security-Policy. */
  origin: string
  /** Signs a PUT of part `number` with exactly `length` bytes. */
  signPart(upload: Pick<Upload, 'key' | 'id'>, number: number, length: number): Promise<SignedRequest>
  /** Signs a GET of an object, which the store answers with these headers. */
  signRead(key: string, headers: { type: string; disposition: string; cacheControl: string }): Promise<SignedRequest>
}

/**
 * Where bytes live. Keys are ours, opaque ASCII, and never hold a file's name. Any process may write any part of an
 * upload, in any order and in parallel; a part written again replaces the first. `test/support/s3/object-store-suite.ts`
 * is the contract that every implementation passes.
 */
export interface ObjectStore {
  /** Opens an upload of at most `size` bytes (at least 1) in parts of `partSize`; answers the upload's id. Throws StoreFull when there is no room. */
  begin(key: string, size: number, partSize: number): Promise<string>
  /**
   * Streams part `number` (from 1), exactly `length` bytes, into the upload, with nothing buffered beyond a few blocks. `crc32` is of the bytes that
   * went through. Throws WrongLength (nothing kept), ObjectMissing (upload gone), StoreFull, StoreUnavailable. Destroys `body` when it fails. `counting`
   * answers the etag of the copy of this part that counts until now; it is kept, and asked for only by a store that has to make room for another copy.
   */
  writePart(
    upload: Upload,
    number: number,
    body: Readable,
    length: number,
    counting?: () => Promise<string | undefined>,
  ): Promise<{ etag: string; crc32: number }>
  /** Makes the object visible, durable and whole from all its parts, in ascending order; checks its length. Calling it twice is fine. */
  finish(upload: Upload, parts: StoredPart[]): Promise<void>
  /** Drops an open upload and its bytes; one that is gone is no error. */
  abort(upload: Pick<Upload, 'key' | 'id'>): Promise<void>
  /**
   * Writes a whole object of unknown length, `expected` bytes or so; it appears only when all of it is there. Answers its size in bytes. Replaces an object
   * of that key.
   */
  write(key: string, body: Readable, expected?: number): Promise<number>
  /** Streams an object, or a range of it, with backpressure. Throws ObjectMissing or StoreUnavailable before the first byte. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /**
   * Fills `target` (at least 1 byte) with the object's bytes from `start` on: the cheap way to read a small object, for zips of thousands of files.
   * No stream per call: open, read until `target` is full, close. Many run in parallel. Throws ObjectMissing, StoreUnavailable, and WrongLength when
   * the object ends before `target` is full.
   */
  readInto(key: string, start: number, target: Uint8Array): Promise<void>
  /**
   * Writes `range` of the object to `to` by the fastest way the store has, waiting whenever `to` is full, and leaves `to` open.
   * Rejects when the object ends early or `to` closes.
   */
  send(key: string, range: ByteRange, to: Writable): Promise<void>
  /** Present while browsers may be sent to the store itself. */
  readonly direct?: DirectAccess | undefined
  /** Stores that clients may write parts to past us: the parts that have arrived, in ascending order. Throws ObjectMissing when the upload is over. */
  listParts?(upload: Pick<Upload, 'key' | 'id'>): Promise<StoredPart[]>
  /** The object's size in bytes; null when there is none. */
  head(key: string): Promise<{ size: number } | null>
  /** Removes objects; those that are gone are no error. */
  remove(keys: string[]): Promise<void>
  /** Stores that keep uploads in temporary files: removes what nothing was written to for `olderThanMs`; answers how many. */
  sweepTemporary?(olderThanMs: number): Promise<number>
  /** Stores of a known size: the free bytes that uploads may take, announced ones included; null when that is not known. */
  room?(): Promise<number | null>
  /** Rejects with a sentence for the operator when the store cannot be used now. */
  check(): Promise<void>
  /** Lets go of connections and files. */
  close(): Promise<void>
}
