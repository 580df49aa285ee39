import { dosTime, TIMESTAMP_EXTRA, writeTimestamp, writeUInt64, writeZip64, zip64Length } from './fields.ts'

/** One entry of a zip. `name` is already safe and unique, `crc32` is unsigned. */
export interface ZipEntry {
  name: string
  /** Bytes. */
  size: number
  crc32: number
  modified: Date
  /**
   * The compressed bytes of a deflated entry, which are not known before its data. Absent: the
   * entry is stored.
   */
  deflatedSize?: number
}

const UINT16_MAX = 0xffff
const UINT32_MAX = 0xffffffff
/**
 * Bit 11: the name is UTF-8 (APPNOTE 6.3.10, 4.4.4). Bit 3, of deflated entries only: a data
 * descriptor follows the data. Without it, sizes and CRC are in the local header.
 */
const FLAGS = 0x0800
const HAS_DESCRIPTOR = 0x0008
/** Methods (4.4.5). */
const STORED = 0
const DEFLATED = 8
/** Deflated entries from this size have ZIP64 sizes, as incompressible data grows by up to 0.1%. */
const WIDE_WHEN_DEFLATED = 0xff000000
/** Versions needed to extract (4.4.3.2): for folders in names, and for ZIP64. */
const NEEDS_FOLDERS = 20
const NEEDS_ZIP64 = 45
/**
 * Version made by (4.4.2): Unix (3), specification 6.3. So the upper half of the external
 * attributes is a Unix mode.
 */
const MADE_BY = (3 << 8) | 63
const UNIX_FILE_MODE = 0o100644 * 0x10000

const LOCAL_HEADER = 30
const CENTRAL_RECORD = 46
const ZIP64_END = 56
const ZIP64_LOCATOR = 20
const END = 22
const NONE: number[] = []

/** Returns the length in bytes of the local header that precedes a stored entry's data. */
export function localHeaderLength(nameBytes: number, size: number): number {
  return LOCAL_HEADER + nameBytes + TIMESTAMP_EXTRA + zip64Length(size >= UINT32_MAX ? 2 : 0)
}

/** Returns the length in bytes of a stored entry's record in the central directory. */
export function centralRecordLength(nameBytes: number, size: number, offset: number): number {
  return CENTRAL_RECORD + nameBytes + TIMESTAMP_EXTRA + zip64Length(wideFields(size, size, offset).length)
}

/** Returns the length in bytes of everything after the central directory. */
export function endLength(entries: number, directorySize: number, directoryOffset: number): number {
  return END + (needsZip64End(entries, directorySize, directoryOffset) ? ZIP64_END + ZIP64_LOCATOR : 0)
}

/**
 * Returns an entry's local file header (APPNOTE 4.3.7). From 4 GiB, a ZIP64 extra field holds both
 * sizes (4.5.3). For a deflated entry, sizes and CRC are 0.
 */
export function localHeader(entry: ZipEntry): Buffer {
  const nameBytes = Buffer.byteLength(entry.name)
  const isWide = hasWideSizes(entry)
  const header = Buffer.allocUnsafe(LOCAL_HEADER + nameBytes + TIMESTAMP_EXTRA + zip64Length(isWide ? 2 : 0))
  const known = entry.deflatedSize === undefined ? entry : { ...entry, crc32: 0, size: 0, deflatedSize: 0 }
  header.writeUInt32LE(0x04034b50, 0)
  writeCommon(header, 4, known, isWide, { nameBytes, extraBytes: header.length - LOCAL_HEADER - nameBytes })
  if (isWide) header.fill(0xff, 18, 26)
  header.write(entry.name, LOCAL_HEADER)
  const extra = writeTimestamp(header, LOCAL_HEADER + nameBytes, entry.modified)
  if (isWide) writeZip64(header, extra, [known.size, known.size])
  return header
}

/** Returns the data descriptor that follows the data of a deflated entry (APPNOTE 4.3.9). */
export function dataDescriptor(entry: ZipEntry): Buffer {
  const isWide = hasWideSizes(entry)
  const descriptor = Buffer.allocUnsafe(isWide ? 24 : 16)
  descriptor.writeUInt32LE(0x08074b50, 0)
  descriptor.writeUInt32LE(entry.crc32, 4)
  for (const [index, size] of [entry.deflatedSize ?? 0, entry.size].entries()) {
    if (isWide) writeUInt64(descriptor, size, 8 + 8 * index)
    else descriptor.writeUInt32LE(size, 8 + 4 * index)
  }
  return descriptor
}

/**
 * Returns an entry's central directory record (APPNOTE 4.3.12). A ZIP64 extra field holds only what
 * does not fit (4.5.3).
 */
export function centralRecord(entry: ZipEntry, offset: number): Buffer {
  const nameBytes = Buffer.byteLength(entry.name)
  const wide = wideFields(entry.size, entry.deflatedSize ?? entry.size, offset)
  const record = Buffer.allocUnsafe(CENTRAL_RECORD + nameBytes + TIMESTAMP_EXTRA + zip64Length(wide.length))
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(MADE_BY, 4)
  writeCommon(record, 6, entry, wide.length > 0 || hasWideSizes(entry), {
    nameBytes,
    extraBytes: record.length - CENTRAL_RECORD - nameBytes,
  })
  record.fill(0, 32, 38)
  record.writeUInt32LE(UNIX_FILE_MODE, 38)
  record.writeUInt32LE(Math.min(offset, UINT32_MAX), 42)
  record.write(entry.name, CENTRAL_RECORD)
  const extra = writeTimestamp(record, CENTRAL_RECORD + nameBytes, entry.modified)
  if (wide.length > 0) writeZip64(record, extra, wide)
  return record
}

/**
 * Returns the end of central directory record (APPNOTE 4.3.16). The ZIP64 record and its locator
 * (4.3.14, 4.3.15) precede it if a count or an offset needs them.
 */
export function endRecords(entries: number, directorySize: number, directoryOffset: number): Buffer {
  const records = Buffer.alloc(endLength(entries, directorySize, directoryOffset))
  if (needsZip64End(entries, directorySize, directoryOffset)) {
    records.writeUInt32LE(0x06064b50, 0)
    writeUInt64(records, ZIP64_END - 12, 4)
    records.writeUInt16LE(MADE_BY, 12)
    records.writeUInt16LE(NEEDS_ZIP64, 14)
    writeUInt64(records, entries, 24)
    writeUInt64(records, entries, 32)
    writeUInt64(records, directorySize, 40)
    writeUInt64(records, directoryOffset, 48)
    records.writeUInt32LE(0x07064b50, ZIP64_END)
    writeUInt64(records, directoryOffset + directorySize, ZIP64_END + 8)
    records.writeUInt32LE(1, ZIP64_END + 16)
  }
  const end = records.length - END
  records.writeUInt32LE(0x06054b50, end)
  records.writeUInt16LE(Math.min(entries, UINT16_MAX), end + 8)
  records.writeUInt16LE(Math.min(entries, UINT16_MAX), end + 10)
  records.writeUInt32LE(Math.min(directorySize, UINT32_MAX), end + 12)
  records.writeUInt32LE(Math.min(directoryOffset, UINT32_MAX), end + 16)
  return records
}

/**
 * In APPNOTE 4.4.1.4, -1 in a field means that its value is in the ZIP64 record. So the maximum of
 * a field already needs it.
 */
function needsZip64End(entries: number, directorySize: number, directoryOffset: number): boolean {
  return entries >= UINT16_MAX || directorySize >= UINT32_MAX || directoryOffset >= UINT32_MAX
}

/** Whether the sizes beside an entry's data have 64 bits. */
function hasWideSizes({ size, deflatedSize }: ZipEntry): boolean {
  return size >= (deflatedSize === undefined ? UINT32_MAX : WIDE_WHEN_DEFLATED)
}

/** Returns the values that do not fit a central record, in the order of the ZIP64 extra field. */
function wideFields(size: number, compressed: number, offset: number): number[] {
  if (size < UINT32_MAX && compressed < UINT32_MAX && offset < UINT32_MAX) return NONE
  return [size, compressed, offset].filter((value) => value >= UINT32_MAX)
}

/**
 * Writes the 26 bytes shared by local header and central record, from "version needed" to "extra
 * field length".
 */
function writeCommon(
  target: Buffer,
  at: number,
  entry: ZipEntry,
  zip64: boolean,
  lengths: { nameBytes: number; extraBytes: number },
): void {
  const isDeflated = entry.deflatedSize !== undefined
  target.writeUInt16LE(zip64 ? NEEDS_ZIP64 : NEEDS_FOLDERS, at)
  target.writeUInt16LE(isDeflated ? FLAGS | HAS_DESCRIPTOR : FLAGS, at + 2)
  target.writeUInt16LE(isDeflated ? DEFLATED : STORED, at + 4)
  target.writeUInt32LE(dosTime(entry.modified), at + 6)
  target.writeUInt32LE(entry.crc32, at + 10)
  target.writeUInt32LE(Math.min(entry.deflatedSize ?? entry.size, UINT32_MAX), at + 14)
  target.writeUInt32LE(Math.min(entry.size, UINT32_MAX), at + 18)
  target.writeUInt16LE(lengths.nameBytes, at + 22)
  target.writeUInt16LE(lengths.extraBytes, at + 24)
}
