/**
 * A file to upload. A browser's File has nearly this form; in Node, `fs.openAsBlob` provides the
 * bytes.
 */
export interface FileSource {
  /** Including its folders, such as `photos/a.jpg`. */
  readonly name: string
  /** The name before it was numbered; absent where it was not. */
  readonly pickedName?: string
  /** Bytes. */
  readonly size: number
  /** Media type, or empty. */
  readonly type: string
  /** Milliseconds since 1970. */
  readonly lastModified: number
  /** The file itself, where this is its encrypted form under a random name. */
  readonly plain?: FileSource
  /** Returns the CRC-32 of `plain`; null while it is unknown. */
  crc32?(): number | null
  /** The bytes from `start` up to `end`, not read before they are sent. */
  slice(start: number, end: number): Blob
}

/** A file to upload, with its id where an earlier page announced it. */
export interface NewUpload {
  source: FileSource
  fileId?: string
  /** Whether all of it has arrived already. */
  done?: boolean
}

/**
 * Why something failed: an error code of the server with its details, or `network`,
 * `file_unreadable`, `session_ended`, and for a response that is not the server's own
 * `proxy_error`, `proxy_refusal` or `proxy_timeout` with its `status`.
 */
export interface Problem {
  code: string
  details: Record<string, unknown>
}

export type FileStatus = 'queued' | 'sending' | 'retrying' | 'completing' | 'done' | 'failed'

/**
 * `pausing`: the parts in flight are still being sent, and no more are started.
 * `stopped`: an error concerns every file (see `problem`); `start` tries again.
 * `incomplete`: only failed files are left, to be retried or removed.
 */
export type UploadState =
  | 'idle'
  | 'running'
  | 'pausing'
  | 'paused'
  | 'stopped'
  | 'incomplete'
  | 'finishing'
  | 'completed'
  | 'cancelling'
  | 'cancelled'

export interface FileView {
  readonly key: number
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Bytes sent, including those of unfinished parts. */
  readonly sent: number
  readonly status: FileStatus
  readonly problem: Problem | null
}

/** The state of an upload to show; a new object after every change. */
export interface UploadSnapshot {
  readonly state: UploadState
  /**
   * `lost`: the server is unreachable; `busy`: the server asked to wait. The uploader recovers from
   * both.
   */
  readonly connection: 'ok' | 'lost' | 'busy'
  readonly problem: Problem | null
  readonly files: readonly FileView[]
  readonly totalBytes: number
  readonly sentBytes: number
  readonly doneFiles: number
  readonly failedFiles: number
  readonly retryingFiles: number
  /** Bytes a second over the last seconds; null while unknown. */
  readonly speed: number | null
  /** Seconds; null while unknown. */
  readonly timeLeft: number | null
}

export interface UploadEvents {
  state: UploadState
  /** Number of files that have just failed and are being retried. */
  retrying: number
  fileDone: FileView
  fileFailed: FileView
}

/**
 * Records an upload, so that it can continue after a crash. Keys count the files from 0 in the
 * order in which they were added.
 */
export interface Journal {
  opened(key: number, fileId: string): void
  done(key: number): void
  removed(key: number): void
  clear(): void
}

/** Times in milliseconds. */
export interface Tuning {
  /**
   * Requests at once, over all files: one below the six connections that a browser opens to an
   * HTTP/1.1 server.
   */
  concurrency: number
  /** Bytes of parts that may be in flight on a slow connection; one part always may. */
  bytesInFlight: number
  /** A faster connection may have as many bytes in flight as it sends in this time. */
  sendAhead: number
  /** A part that makes no progress for this long is sent again. */
  stallTimeout: number
  /** Limit for a call without a body of bytes. */
  callTimeout: number
  retryDelay: number
  retryDelayMax: number
  /** How often one step may fail before its file fails; outages do not count. */
  attempts: number
  /** Time between two snapshots. */
  publishEvery: number
}

export const defaultTuning: Tuning = {
  concurrency: 5,
  bytesInFlight: 8_388_608, // one part
  sendAhead: 8_000,
  stallTimeout: 45_000,
  callTimeout: 120_000,
  retryDelay: 1_000,
  retryDelayMax: 30_000,
  attempts: 8,
  publishEvery: 100,
}
