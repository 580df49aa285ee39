// Reads databases of bbolt (go.etcd.io/bbolt, file format 2): pages that form B+ trees of key/value
// pairs. A bucket is a value that holds the page of another tree, or that page itself. All numbers
// are little-endian. The two pages at the start describe the last two transactions, in turns.

const magic = 0xed0cdaed
const version = 2
const headerBytes = 16
const elementBytes = 16
const metaBytes = 56 // without the checksum
const branchPage = 1
const leafPage = 2
const bucketFlag = 1

/** A key and its value in a bucket. */
export interface Pair {
  key: Buffer
  value: Buffer
}

/** The file is damaged, or is not a bbolt database. */
export class BoltError extends Error {}

interface Page {
  bytes: Buffer
  /** Where the page's header is: not 0 in a bucket that is stored in a value. */
  offset: number
}

/** Returns a page by its number. */
type PageReader = (id: bigint) => Page

/**
 * Returns a function that reads the pairs of a top-level bucket, in the order of their keys and
 * without the buckets in it; empty if there is no such bucket.
 *
 * @throws {BoltError} the file is damaged, incomplete, or not a bbolt database
 */
export function readBolt(bytes: Buffer): (bucket: string) => Pair[] {
  const { pageSize, root } = newestMeta(bytes)
  /** Reads each page once. In a damaged file, pages that refer to each other would never end. */
  const pageReader = (): PageReader => {
    const seen = new Set<bigint>()
    return (id) => {
      if (seen.has(id)) throw new BoltError(`page ${id} is in the tree twice`)
      seen.add(id)
      const start = Number(id) * pageSize
      if (start + headerBytes > bytes.length) throw new BoltError(`page ${id} is missing`)
      const length = (bytes.readUInt32LE(start + 12) + 1) * pageSize // with the pages that continue it
      return { bytes: bytes.subarray(start, start + length), offset: 0 }
    }
  }
  return (bucket) => {
    try {
      const read = pageReader()
      const found = elements(read(root), read).find(({ key, isBucket }) => isBucket && key.toString() === bucket)
      if (!found) return []
      const inner = found.value.readBigUInt64LE(0)
      const pairs = elements(inner === 0n ? { bytes: found.value, offset: headerBytes } : read(inner), read)
      return pairs.flatMap(({ isBucket, key, value }) => (isBucket ? [] : { key, value }))
    } catch (error) {
      if (error instanceof RangeError) throw new BoltError('a page is damaged', { cause: error })
      throw error
    }
  }
}

function newestMeta(bytes: Buffer): { pageSize: number; root: bigint } {
  const first = metaAt(bytes, 0)
  const sizes = first ? [first.pageSize] : [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]
  const metas = [first, ...sizes.map((size) => metaAt(bytes, size))].flatMap((meta) => meta ?? [])
  const newest = metas.sort((a, b) => (a.transaction < b.transaction ? 1 : -1))[0]
  if (!newest) throw new BoltError('it is not a bbolt database')
  return newest
}

function metaAt(bytes: Buffer, page: number): { pageSize: number; root: bigint; transaction: bigint } | null {
  const meta = bytes.subarray(page + headerBytes, page + headerBytes + metaBytes + 8)
  if (meta.length < metaBytes + 8 || meta.readUInt32LE(0) !== magic || meta.readUInt32LE(4) !== version) return null
  if (meta.readBigUInt64LE(metaBytes) !== fnv1a(meta.subarray(0, metaBytes))) return null
  return { pageSize: meta.readUInt32LE(8), root: meta.readBigUInt64LE(16), transaction: meta.readBigUInt64LE(48) }
}

/** The 64-bit FNV-1a hash. */
function fnv1a(bytes: Buffer): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash
}

interface Element extends Pair {
  isBucket: boolean
}

/** Returns all elements of the leaves below a page. */
function elements({ bytes: page, offset }: Page, read: PageReader): Element[] {
  const [flags, count] = [page.readUInt16LE(offset + 8), page.readUInt16LE(offset + 10)]
  const starts = Array.from({ length: count }, (_, index) => offset + headerBytes + index * elementBytes)
  if (flags & branchPage) return starts.flatMap((start) => elements(read(page.readBigUInt64LE(start + 8)), read))
  if (!(flags & leafPage)) throw new BoltError('a page is neither a branch nor a leaf')
  return starts.map((start) => {
    const key = start + page.readUInt32LE(start + 4)
    const value = key + page.readUInt32LE(start + 8)
    const end = value + page.readUInt32LE(start + 12)
    if (end > page.length) throw new BoltError('a value is longer than its page')
    const isBucket = (page.readUInt32LE(start) & bucketFlag) !== 0
    return { key: page.subarray(key, value), value: page.subarray(value, end), isBucket }
  })
}
