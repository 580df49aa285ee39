import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import type { ShareKey } from '../../../uploader/encryption/keys.ts'
import { start } from '../../start.ts'

const [database, storeName] = ['encrypted-shares', 'keys']

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
export async function storeKey(id: string, stored: StoredKey): Promise<void> {
  const owned: OwnedKey = { ...stored, ownerId: start.user?.id ?? null }
  await inStore('readwrite', (keys) => keys.put(owned, id)).catch((error) => console.info('key not stored', error))
}

/** Returns the keys of a share; null if the current user has not created it in this browser. */
export async function storedKey(id: string): Promise<StoredKey | null> {
  const stored = (await inStore('readonly', (keys) => keys.get(id)).catch(() => undefined)) as OwnedKey | undefined
  return stored?.ownerId === (start.user?.id ?? null) ? stored : null
}

/** Runs a request in a transaction and returns its result after the transaction is complete. */
async function inStore(mode: IDBTransactionMode, createRequest: (keys: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const db = await open()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(storeName, mode, { durability: 'strict' })
      const request = createRequest(transaction.objectStore(storeName))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    db.close()
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(storeName)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
