/** A file to send. A browser's File is nearly one already; in Node, `fs.openAsBlob` gives the bytes of one. */
export interface FileSource {
  /** With its folders, as in `photos/a.jpg`. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Media type, or empty. */
  readonly type: string
  /** Milliseconds since 1970. */
  readonly lastModified: number
  /** The bytes from `start` up to `end`, not read before they are sent. */
  slice(start: number, end: number): Blob
}

/** A file to upload; one that an earlier page began has the id that it was given then. */
export interface NewUpload {
  source: FileSource
  fileId?: string
  /** All of it has arrived already. */
  done?: boolean
}

/** Why something failed: a code of the server's catalogue with its details, or `network`, `file_unreadable`. */
export interface Problem {
  code: string
  details: Record<string, unknown>
}

export type FileStatus = 'queued' | 'sending' | 'retrying' | 'completing' | 'done' | 'failed'

/**
 * `stopped`: the server refused in a way that concerns every file (`problem` says how); `resume` tries again.
 * `incomplete`: nothing is left to do but to retry or remove the files that failed.
 */
export type UploadState = 'idle' | 'running' | 'paused' | 'stopped' | 'incomplete' | 'finishing' | 'completed' | 'cancelling' | 'cancelled'

export interface FileView {
  readonly key: number
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Bytes that have left, those of unfinished parts included. */
  readonly sent: number
  readonly status: FileStatus
  readonly problem: Problem | null
}

/** What there is to show; a new object whenever something changed. */
export interface UploadSnapshot {
  readonly state: UploadState
  /** `lost`: nothing gets through; `busy`: the server asked to wait. Both mend themselves. */
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
  /** How many files failed just now and are being tried again. */
  retrying: number
  fileDone: FileView
  fileFailed: FileView
}

/** What is written down, so that an upload can go on after a crash. Keys count the files from 0 in the order in which they were added. */
export interface Journal {
  opened(key: number, fileId: string): void
  done(key: number): void
  removed(key: number): void
  clear(): void
}

/** Times in milliseconds. */
export interface Tuning {
  /** Requests at once, over all files: one below the six connections that a browser opens to an HTTP/1.1 server. */
  concurrency: number
  /** A part that makes no progress for so long is sent again. */
  stallTimeout: number
  /** How long a call without a body of bytes may take. */
  callTimeout: number
  retryDelay: number
  retryDelayMax: number
  /** How often one step may fail before its file is given up, outages not counted. */
  attempts: number
  /** Time between two snapshots. */
  publishEvery: number
}

export const defaultTuning: Tuning = {
  concurrency: 5,
  stallTimeout: 45_000,
  callTimeout: 120_000,
  retryDelay: 1_000,
  retryDelayMax: 30_000,
  attempts: 8,
  publishEvery: 100,
}
