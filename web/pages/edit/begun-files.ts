import type { FileSource } from '../../../uploader/types.ts'
import { local } from '../../lib/storage.ts'

/** A file that this browser has begun to add to a share. */
export interface BegunFile {
  lastModified: number
  /** Known if the file is encrypted, because the server does not know it. */
  plain: { name: string; size: number } | null
}

/** Records a file whose upload has begun, so that a later page can continue it. */
export function recordBegun(shareId: string, fileId: string, { lastModified, plain }: Pick<FileSource, 'lastModified' | 'plain'>): void {
  local.set(entryOf(shareId, fileId), plain ? JSON.stringify([lastModified, plain.size, plain.name]) : String(lastModified))
}

/** Returns what was recorded about a file; null if this browser has not begun it. */
export function begunFile(shareId: string, fileId: string): BegunFile | null {
  const entry = local.get(entryOf(shareId, fileId))
  if (entry === null) return null
  const value: unknown = JSON.parse(entry)
  if (!Array.isArray(value)) return { lastModified: Number(value), plain: null }
  const [lastModified, size, name] = value as [number, number, string]
  return { lastModified, plain: { name, size } }
}

export function forgetBegun(shareId: string, fileId: string): void {
  local.remove(entryOf(shareId, fileId))
}

const entryOf = (shareId: string, fileId: string) => `edit:${shareId}:${fileId}`
