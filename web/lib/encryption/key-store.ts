import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import { linkKeyBytes, type ShareKey } from '../../../uploader/encryption/keys.ts'
import { start } from '../../start.ts'
import { inStore } from '../indexed-db.ts'

const stored = { database: 'encrypted-shares', store: 'keys', durability: 'strict' } as const

/** The keys of an encrypted share that was created in this browser. */
export interface StoredKey {
  /** The key that the link carries. */
  linkKey: Bytes
  /** The key that encrypts, also where the link's key needs a password. It can't be exported. */
  key: ShareKey
}

interface OwnedKey extends StoredKey {
  /** Null for a visitor. */
  ownerId: string | null
}

/** Stores the keys of a share of the current user. Without storage, its upload can't be resumed after a reload. */
export async function storeKey(id: string, key: StoredKey): Promise<void> {
  const owned: OwnedKey = { ...key, ownerId: currentOwner() }
  await inStore(stored, 'readwrite', (keys) => keys.put(owned, id)).catch((error) => console.info('key not stored', error))
}

/**
 * Returns the keys of a share; null if the current user has not created it in this browser, or if the
 * browser has lost a part of them.
 */
export async function storedKey(id: string): Promise<StoredKey | null> {
  const found = (await inStore(stored, 'readonly', (keys) => keys.get(id)).catch(() => undefined)) as OwnedKey | undefined
  return found?.ownerId === currentOwner() && isComplete(found) ? found : null
}

function isComplete({ linkKey, key }: { linkKey?: StoredKey['linkKey']; key?: StoredKey['key'] }): boolean {
  return linkKey?.length === linkKeyBytes && key?.secret instanceof CryptoKey
}

const currentOwner = () => start.user?.id ?? null
