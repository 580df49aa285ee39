/**
 * Runs a request in a transaction and returns its result after the transaction is complete. The
 * database has one store, which is created if it is missing.
 *
 * @throws {DOMException} such as when there is not enough storage
 */
export async function inStore(
  { database, store, ...options }: { database: string; store: string } & IDBTransactionOptions,
  mode: IDBTransactionMode,
  createRequest: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  const db = await open(database, store)
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(store, mode, options)
      const request = createRequest(transaction.objectStore(store))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    db.close()
  }
}

function open(database: string, store: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(store)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
