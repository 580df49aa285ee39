// Files that the system's share menu has handed to this application, between the service worker that takes them and the page that shows them.
const [database, store, key] = ['received', 'files', 'latest']
const kept = 3_600_000 // ms

interface Received {
  files: File[]
  at: number
}

/** Keeps files for the page that is opened next, in place of any that no page has taken. Throws where there is no room for them. */
export async function keepReceived(files: File[]): Promise<void> {
  const received: Received = { files, at: Date.now() }
  await inStore((all) => all.put(received, key))
}

/** The files that were kept within the last hour. They are handed out once. */
export async function takeReceived(): Promise<File[]> {
  const received = (await inStore((all) => {
    const found = all.get(key)
    all.delete(key)
    return found
  })) as Received | undefined
  return received && Date.now() - received.at < kept ? received.files : []
}

/** Leaves none of them to whoever uses this browser next. */
export function forgetReceived(): void {
  globalThis.indexedDB?.deleteDatabase(database)
}

/** The result of a request within a transaction that has been completed. */
async function inStore(work: (all: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const db = await open()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(store, 'readwrite')
      const request = work(transaction.objectStore(store))
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
