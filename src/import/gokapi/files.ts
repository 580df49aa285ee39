import { join } from 'node:path'
import type { ObjectFinder } from '../core/bucket.ts'
import { findOnDisk } from '../core/disk.ts'
import { derivedUuid } from '../core/ids.ts'
import type { SourceFile } from '../core/source.ts'
import { type Row, type Rows, text } from '../core/sqlite.ts'
import type { Config } from './config.ts'
import { isEncrypted } from './gob.ts'

/** Gokapi's tables, and where its bytes are. */
export interface Gokapi {
  rows: Rows
  config: Config
  bucket: ObjectFinder | null
}

/** Returns the id that a user gets here. */
export const userId = (id: unknown) => derivedUuid('gokapi user', text(id))
/** Returns a time from seconds since 1970. */
export const seconds = (value: unknown) => new Date(Number(value) * 1000)

/** Returns why a file can't be imported, or null. */
export function problemOf({ bucket }: Gokapi, row: Row): string | null {
  if (Number(row.PendingDeletion) > 0) return 'is being deleted'
  if (isEncryptedRow(row)) return 'is encrypted, and only Gokapi can decrypt it: download it there and share it again'
  if (text(row.AwsBucket) && !bucket) return 'is in an S3 bucket: name it with IMPORT_S3_*'
  return null
}

function isEncryptedRow({ Encryption }: Row): boolean {
  try {
    return !(Encryption instanceof Uint8Array) || isEncrypted(Encryption)
  } catch {
    return true
  }
}

/** Returns a file, which Gokapi stores under its SHA-1. */
export function fileOf(gokapi: Gokapi, row: Row): SourceFile {
  const { config, bucket } = gokapi
  const [sha1, problem] = [text(row.SHA1), problemOf(gokapi, row)]
  const isSafe = /^[0-9a-f]{40}$/.test(sha1)
  return {
    id: derivedUuid('gokapi bytes', text(row.Id)),
    name: text(row.Name),
    size: Number(row.SizeBytes),
    createdAt: seconds(row.UploadDate),
    ...(isSafe && { sha1 }),
    ...(problem && { problem }),
    find: async () => {
      if (!isSafe) return null
      return text(row.AwsBucket) ? (bucket?.find(sha1) ?? null) : findOnDisk(config.dataDir, join(config.dataDir, sha1))
    },
  }
}
