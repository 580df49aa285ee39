import type { KeyValueStore } from '../../../uploader/journal.ts'

const storeName = 'journal'

/**
 * Stores the journal of uploads in IndexedDB, from a copy in memory that is read and written at
 * once. Browsers write `localStorage` many seconds late, so that it misses what a crash makes
 * necessary.
 */
class JournalStore implements KeyValueStore {
  #entries = new Map<string, string>()
  /** The keys in their order, while none is added or removed: an upload may have 100,000. */
  #keys: string[] | undefined
  /** Changes that are not stored yet; null deletes. */
  #changes = new Map<string, string | null>()
  #database: Promise<IDBDatabase> | undefined
  #writing: Promise<void> | undefined

  get length(): number {
    return this.#entries.size
  }

  key(index: number): string | null {
    this.#keys ??= [...this.#entries.keys()]
    return this.#keys[index] ?? null
  }

  getItem(key: string): string | null {
    return this.#entries.get(key) ?? null
  }

  setItem(key: string, value: string): void {
    if (!this.#entries.has(key)) this.#keys = undefined
    this.#entries.set(key, value)
    this.#change(key, value)
  }

  removeItem(key: string): void {
    if (!this.#entries.delete(key)) return
    this.#keys = undefined
    this.#change(key, null)
  }

  /** Reads what earlier pages and other tabs have stored. Without a database nothing is read. */
  async load(): Promise<void> {
    await this.#writing
    try {
      const store = (await this.#open()).transaction(storeName).objectStore(storeName)
      const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())])
      this.#entries = new Map(keys.map((key, index) => [String(key), String(values[index])]))
      for (const [key, value] of this.#changes) value === null ? this.#entries.delete(key) : this.#entries.set(key, value)
      this.#keys = undefined
    } catch {}
  }

  #change(key: string, value: string | null): void {
    this.#changes.set(key, value)
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Writes pending changes until none are left. Changes made during a write share the next one. */
  async #write(): Promise<void> {
    try {
      const database = await this.#open()
      while (this.#changes.size > 0) {
        const transaction = database.transaction(storeName, 'readwrite', { durability: 'strict' })
        const store = transaction.objectStore(storeName)
        for (const [key, value] of this.#changes) value === null ? store.delete(key) : store.put(value, key)
        this.#changes = new Map()
        await new Promise((resolve, reject) => {
          transaction.oncomplete = resolve
          transaction.onabort = reject
        })
      }
    } catch {
      this.#changes = new Map() // without storage or space, the upload continues and can't be resumed
    }
  }

  #open(): Promise<IDBDatabase> {
    if (!this.#database) {
      const request = indexedDB.open('uploads', 1)
      request.onupgradeneeded = () => request.result.createObjectStore(storeName)
      this.#database = done(request)
    }
    return this.#database
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** The journal of this browser's uploads. */
export const journalStore = new JournalStore()
