import { isNever } from '../format.ts'
import { local } from '../storage.ts'

/** A share that a visitor without an account has uploaded in this browser. */
export interface RecentUpload {
  id: string
  title: string
  link: string
  /** ISO 8601; 1970 is "never". */
  expiration: string
}

const key = 'recent-uploads'
const maxUploads = 50

/** Returns the uploads of this browser that have not expired, newest first. */
export function recentUploads(now = Date.now()): RecentUpload[] {
  return read().filter(({ expiration }) => isNever(expiration) || Date.parse(expiration) > now)
}

/** Remembers a completed upload in this browser. */
export function rememberUpload(upload: RecentUpload): void {
  write([upload, ...recentUploads().filter(({ id }) => id !== upload.id)].slice(0, maxUploads))
}

/** Removes an upload from the list. The share stays as it is. */
export function forgetUpload(id: string): void {
  write(read().filter((upload) => upload.id !== id))
}

function read(): RecentUpload[] {
  try {
    const uploads = JSON.parse(local.get(key) ?? '[]') as RecentUpload[]
    return Array.isArray(uploads) ? uploads : []
  } catch {
    return []
  }
}

function write(uploads: RecentUpload[]): void {
  local.set(key, JSON.stringify(uploads))
}
