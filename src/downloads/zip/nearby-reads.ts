import type { ObjectStore } from '../../storage/object-store.ts'
import { type Slice, sliceOf } from '../../storage/slices.ts'
import { BLOCK_BYTES } from '../../storage/streams/block-writer.ts'
import type { StoredEntry } from './layout.ts'

interface Window {
  key: string
  start: number
  end: number
  bytes: Promise<Buffer>
}

/**
 * Reads the data of an archive's small files. Files that follow each other in the archive and lie in
 * one object are read together, up to 256 KiB at a time, and kept until the next read.
 */
export class NearbyReads {
  readonly #store: Pick<ObjectStore, 'readInto'>
  readonly #entries: readonly StoredEntry[]
  #window: Window | undefined

  constructor(store: Pick<ObjectStore, 'readInto'>, entries: readonly StoredEntry[]) {
    this.#store = store
    this.#entries = entries
  }

  /** Fills `target` with the data of entry `index` from byte `start` on. */
  async read(index: number, start: number, target: Uint8Array): Promise<void> {
    const key = this.#entries[index]?.key ?? ''
    const slice = sliceOf(key)
    if (!slice || slice.length > BLOCK_BYTES) return this.#store.readInto(key, start, target)
    const window = this.#windowWith(index, slice)
    const from = slice.start + start - window.start
    target.set((await window.bytes).subarray(from, from + target.length))
  }

  #windowWith(index: number, { key, start, length }: Slice): Window {
    const current = this.#window
    if (current?.key === key && current.start <= start && start + length <= current.end) return current
    const window = this.#open(index, { key, start, length })
    this.#window = window
    return window
  }

  /** Reads the data of an entry and of those after it, in any order, that fit in one window. */
  #open(index: number, { key, start, length }: Slice): Window {
    let [first, end] = [start, start + length]
    for (let next = index + 1; next < this.#entries.length; next++) {
      const slice = sliceOf(this.#entries[next]?.key ?? '')
      if (slice?.key !== key) break
      const [widerFirst, widerEnd] = [Math.min(first, slice.start), Math.max(end, slice.start + slice.length)]
      if (widerEnd - widerFirst > BLOCK_BYTES) break
      ;[first, end] = [widerFirst, widerEnd]
    }
    const bytes = Buffer.allocUnsafeSlow(end - first)
    return { key, start: first, end, bytes: this.#store.readInto(key, first, bytes).then(() => bytes) }
  }
}
