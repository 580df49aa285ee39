import { EncryptionError } from '../../../uploader/encryption/error.ts'
import { type StoredKey, storedKey } from './key-store.ts'

const opened = new Map<string, StoredKey>()

/** Keeps the keys of a share that was opened on this page, so that other pages can use them. */
export function rememberOpened(id: string, key: StoredKey): void {
  opened.set(id, key)
}

/** Returns the keys of a share that was opened on this page, or created in this browser; null otherwise. */
export async function knownKey(id: string): Promise<StoredKey | null> {
  return opened.get(id) ?? storedKey(id)
}

/** Returns whether a stored key caused an error: it is of another share, or can't be used. */
export function isKeyUnusable(error: unknown): boolean {
  return error instanceof EncryptionError ? error.code === 'wrong_key' : error instanceof DOMException
}
