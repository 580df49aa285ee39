import { Readable } from 'node:stream'
import { type ByteRange, ObjectMissing, type ObjectStore, WrongLength } from './object-store.ts'

/** The bytes of one file in an object that holds many, one after the other. */
export interface Slice {
  /** The key of the object. */
  key: string
  start: number
  length: number
}

const sliceShape = /^(shares\/[^/]+\/[^/]+)\/\d+-(\d{1,16})-(\d{1,16})$/

/**
 * Returns the key of a slice. No object has such a key. `position` is that of the file in its object,
 * so that empty files have different keys too.
 */
export function sliceKey({ key, start, length }: Slice, position: number): string {
  return `${key}/${position}-${start}-${length}`
}

/** Returns the slice that a key names; null if it is the key of an object. */
export function sliceOf(sliceKey: string): Slice | null {
  const [, key, start, length] = sliceShape.exec(sliceKey) ?? []
  return key === undefined ? null : { key, start: Number(start), length: Number(length) }
}

/** Lets the reading methods of a store also accept the keys of slices. Changes and returns `store`. */
export function withSlices<Store extends ObjectStore>(store: Store): Store {
  const { read, readInto, send, head, validatorsOf, pathOf } = store
  const methods: Pick<ObjectStore, 'read' | 'readInto' | 'send' | 'head'> = {
    async read(key, range) {
      const slice = sliceOf(key)
      if (!slice) return read(key, range)
      if (slice.length > 0) return read(slice.key, rangeIn(slice, range))
      if (!(await head(slice.key))) throw new ObjectMissing('The object does not exist')
      return Readable.from([])
    },
    async readInto(key, start, target) {
      const slice = sliceOf(key)
      if (!slice) return readInto(key, start, target)
      if (start + target.length > slice.length) throw new WrongLength(`The slice ends at byte ${slice.length}`)
      await readInto(slice.key, slice.start + start, target)
    },
    async send(key, range, to, onOpen) {
      const slice = sliceOf(key)
      if (!slice) return send(key, range, to, onOpen)
      await send(slice.key, rangeIn(slice, range), to, onOpen && ((size) => onOpen(size === null ? null : sizeIn(slice, size))))
    },
    async head(key) {
      const slice = sliceOf(key)
      if (!slice) return head(key)
      const object = await head(slice.key)
      return object && { size: sizeIn(slice, object.size) }
    },
  }
  const validators = validatorsOf && { validatorsOf: async (key: string) => (sliceOf(key) ? null : validatorsOf(key)) }
  const paths = pathOf && { pathOf: (key: string) => (sliceOf(key) ? null : pathOf(key)) }
  return Object.assign(store, methods, validators, paths)
}

function rangeIn({ start, length }: Slice, range: ByteRange = { start: 0, end: length - 1 }): ByteRange {
  if (range.end >= length) throw new WrongLength(`The slice ends at byte ${length}`)
  return { start: start + range.start, end: start + range.end }
}

/** Returns how many bytes of a slice an object of `size` bytes has. */
function sizeIn({ start, length }: Slice, size: number): number {
  return Math.min(length, Math.max(0, size - start))
}
