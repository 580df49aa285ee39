// Passes files of the system's share menu from the service worker, which receives them, to the page
// that shows them.
const [database, store, key] = ['received', 'files', 'latest']
const lifetime = 3_600_000 // ms

interface Received {
  files: File[]
  at: number
}

/**
 * Stores files for the page that is opened next and replaces older ones.
 *
 * @throws {DOMException} If there is not enough storage.
 */
export async function storeReceived(files: File[]): Promise<void> {
  const received: Received = { files, at: Date.now() }
  await inStore((files) => files.put(received, key))
}

/** Returns the files that were stored within the last hour and deletes them. */
export async function takeReceived(): Promise<File[]> {
  const received = (await inStore((files) => {
    const request = files.get(key)
    files.delete(key)
    return request
  })) as Received | undefined
  return received && Date.now() - received.at < lifetime ? received.files : []
}

/** Deletes the files, so that the next user of this browser does not see them. */
export function forgetReceived(): void {
  globalThis.indexedDB?.deleteDatabase(database)
}

/** Runs a request in a transaction and returns its result after the transaction is complete. */
async function inStore(createRequest: (files: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const db = await open()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(store, 'readwrite')
      const request = createRequest(transaction.objectStore(store))
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
    request.onupgradeneeded = () => request.result.createObjectStore(store)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
