import { ObjectMissing, StoreFull, StoreUnavailable, WrongLength } from '../object-store.ts'

interface Failure {
  name: string
  message: string
  code?: string
  /** The error code of the server. */
  Code?: string
  $metadata?: { httpStatusCode?: number }
  cause?: unknown
}

/** Names that are less specific than the system's error code. */
const GENERIC_NAMES = new Set(['Error', 'AggregateError', 'TimeoutError'])
const MISSING = new Set(['NoSuchUpload', 'NoSuchKey', 'NotFound'])
const FULL = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'StorageFull',
  'InsufficientStorage',
  'StorageQuotaExceeded',
])

/**
 * Returns the server's error code, such as `NoSuchKey`; else the system's, such as `ECONNREFUSED`;
 * else the class name.
 */
export function nameOf(error: unknown): string {
  const { name, code, Code } = error as Failure
  return Code ?? (GENERIC_NAMES.has(name) ? (code ?? name) : name)
}

/** Returns the HTTP status of an error response; undefined if the server did not respond. */
export function statusOf(error: unknown): number | undefined {
  return (error as Failure).$metadata?.httpStatusCode
}

/**
 * Returns whether the object or upload does not exist. Servers differ in the code (Ceph returns
 * NoSuchKey for an upload).
 */
export function isMissing(error: unknown): boolean {
  return MISSING.has(nameOf(error)) || (statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket')
}

/**
 * Converts an error of the SDK to the store's: ObjectMissing, StoreFull, or StoreUnavailable for
 * any other failure of a server or a network. Returns the store's own errors and TypeError
 * unchanged.
 */
export function s3Error(error: unknown): Error {
  for (const kind of [ObjectMissing, StoreFull, StoreUnavailable, WrongLength, TypeError]) if (error instanceof kind) return error
  const message = describe(error)
  if (isMissing(error)) return new ObjectMissing(message, { cause: error })
  if (isFull(error)) return new StoreFull(message, { cause: error })
  return new StoreUnavailable(message, { cause: error })
}

/** Throws an error of the SDK as the store's, for `promise.catch`. */
export function throwS3Error(error: unknown): never {
  throw s3Error(error)
}

/** Garage and B2 report an exceeded quota only in the message. */
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
