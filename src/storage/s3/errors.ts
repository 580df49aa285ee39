import { ObjectMissing, StoreFull, StoreUnavailable, WrongLength } from '../object-store.ts'

interface Failure {
  name: string
  message: string
  code?: string
  /** What the server called it. */
  Code?: string
  $metadata?: { httpStatusCode?: number }
  cause?: unknown
}

/** Names that say less than the system's code. */
const CLASSES = new Set(['Error', 'AggregateError', 'TimeoutError'])
const GONE = new Set(['NoSuchUpload', 'NoSuchKey', 'NotFound'])
const FULL = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'StorageFull',
  'InsufficientStorage',
  'StorageQuotaExceeded',
])

/** The server's name for a failure, such as `NoSuchKey`; else the system's, such as `ECONNREFUSED`; else the class. */
export function nameOf(error: unknown): string {
  const { name, code, Code } = error as Failure
  return Code ?? (CLASSES.has(name) ? (code ?? name) : name)
}

/** The HTTP status of the server's refusal; undefined when it did not answer. */
export function statusOf(error: unknown): number | undefined {
  return (error as Failure).$metadata?.httpStatusCode
}

/** Whether there is no such object or upload: servers differ in which of the names they give (Ceph: NoSuchKey for an upload). */
export function isGone(error: unknown): boolean {
  return GONE.has(nameOf(error)) || (statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket')
}

/** The store's error for one of the SDK: ObjectMissing, StoreFull, or StoreUnavailable for whatever else a server or a network does. Errors of the store's own kinds and TypeError pass through. */
export function s3Error(error: unknown): Error {
  for (const kind of [ObjectMissing, StoreFull, StoreUnavailable, WrongLength, TypeError]) if (error instanceof kind) return error
  const message = describe(error)
  if (isGone(error)) return new ObjectMissing(message, { cause: error })
  if (isFull(error)) return new StoreFull(message, { cause: error })
  return new StoreUnavailable(message, { cause: error })
}

/** Throws the store's error for one of the SDK: `promise.catch(rethrow)`. */
export function rethrow(error: unknown): never {
  throw s3Error(error)
}

/** Garage and B2 say only in words that a quota is reached. */
function isFull(error: unknown): boolean {
  return (
    FULL.has(nameOf(error)) ||
    statusOf(error) === 507 ||
    (statusOf(error) === 403 && /\bquota\b|\bcap exceeded\b/i.test((error as Failure).message))
  )
}

function describe(error: unknown): string {
  const status = statusOf(error)
  const { message } = error as Failure
  return `S3: ${nameOf(error)}${status ? ` (status ${status})` : ''}${message && message !== nameOf(error) ? `: ${message}` : ''}`
}
