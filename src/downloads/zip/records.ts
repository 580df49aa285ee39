/** One entry of a stored zip. `name` is already safe and unique, `crc32` is unsigned. */
export interface ZipEntry {
  name: string
  /** Bytes. */
  size: number
  crc32: number
  modified: Date
}

const UINT16_MAX = 0xffff
const UINT32_MAX = 0xffffffff
/**
 * Bit 11: the name is UTF-8 (APPNOTE 6.3.10, 4.4.4). No data descriptor (bit 3): sizes and CRC are
 * in the local header.
 */
const FLAGS = 0x0800
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
const TIMESTAMP_EXTRA = 9
const ZIP64_END = 56
const ZIP64_LOCATOR = 20
const END = 22
const NONE: number[] = []
const DOS_FIRST = Date.UTC(1980, 0, 1)
const DOS_LAST = Date.UTC(2107, 11, 31, 23, 59, 58)

/** Returns the length in bytes of the local header that precedes an entry's data. */
export function localHeaderLength(nameBytes: number, size: number): number {
  return LOCAL_HEADER + nameBytes + TIMESTAMP_EXTRA + zip64Length(size >= UINT32_MAX ? 2 : 0)
}

/** Returns the length in bytes of an entry's record in the central directory. */
export function centralRecordLength(nameBytes: number, size: number, offset: number): number {
  return CENTRAL_RECORD + nameBytes + TIMESTAMP_EXTRA + zip64Length(wideFields(size, offset).length)
}

/** Returns the length in bytes of everything after the central directory. */
export function endLength(entries: number, directorySize: number, directoryOffset: number): number {
  return END + (needsZip64End(entries, directorySize, directoryOffset) ? ZIP64_END + ZIP64_LOCATOR : 0)
}

/**
 * Returns an entry's local file header (APPNOTE 4.3.7). From 4 GiB, a ZIP64 extra field holds both
 * sizes (4.5.3).
 */
export function localHeader(entry: ZipEntry): Buffer {
  const nameBytes = Buffer.byteLength(entry.name)
  const header = Buffer.allocUnsafe(localHeaderLength(nameBytes, entry.size))
  const zip64 = entry.size >= UINT32_MAX
  header.writeUInt32LE(0x04034b50, 0)
  writeCommon(header, 4, entry, zip64, header.length - LOCAL_HEADER - nameBytes, nameBytes)
  header.write(entry.name, LOCAL_HEADER)
  const extra = writeTimestamp(header, LOCAL_HEADER + nameBytes, entry.modified)
  if (zip64) writeZip64(header, extra, [entry.size, entry.size])
  return header
}

/**
 * Returns an entry's central directory record (APPNOTE 4.3.12). A ZIP64 extra field holds only what
 * does not fit (4.5.3).
 */
export function centralRecord(entry: ZipEntry, offset: number): Buffer {
  const nameBytes = Buffer.byteLength(entry.name)
  const record = Buffer.allocUnsafe(centralRecordLength(nameBytes, entry.size, offset))
  const wide = wideFields(entry.size, offset)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(MADE_BY, 4)
  writeCommon(record, 6, entry, wide.length > 0, record.length - CENTRAL_RECORD - nameBytes, nameBytes)
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

/** Returns the values that do not fit a central record, in the order of the ZIP64 extra field. */
function wideFields(size: number, offset: number): number[] {
  if (size < UINT32_MAX) return offset < UINT32_MAX ? NONE : [offset]
  return offset < UINT32_MAX ? [size, size] : [size, size, offset]
}

/**
 * Writes the 26 bytes shared by local header and central record, from "version needed" to "extra
 * field length". Method 0 is "stored" (4.4.5).
 */
function writeCommon(target: Buffer, at: number, entry: ZipEntry, zip64: boolean, extraBytes: number, nameBytes: number): void {
  const size = Math.min(entry.size, UINT32_MAX)
  target.writeUInt16LE(zip64 ? NEEDS_ZIP64 : NEEDS_FOLDERS, at)
  target.writeUInt16LE(FLAGS, at + 2)
  target.writeUInt16LE(0, at + 4)
  target.writeUInt32LE(dosTime(entry.modified), at + 6)
  target.writeUInt32LE(entry.crc32, at + 10)
  target.writeUInt32LE(size, at + 14)
  target.writeUInt32LE(size, at + 18)
  target.writeUInt16LE(nameBytes, at + 22)
  target.writeUInt16LE(extraBytes, at + 24)
}

/**
 * Returns time (low half) and date (high half) in two-second steps (4.4.6). In UTC, so that every
 * replica writes the same bytes.
 */
function dosTime(modified: Date): number {
  const date = new Date(Math.min(Math.max(modified.getTime(), DOS_FIRST), DOS_LAST))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return day * 0x10000 + time
}

/**
 * Writes Info-ZIP's extended timestamp 0x5455 "UT": the modification time in seconds since 1970
 * UTC, signed 32-bit. Returns the offset after it.
 */
function writeTimestamp(target: Buffer, at: number, modified: Date): number {
  const seconds = Math.min(Math.max(Math.floor(modified.getTime() / 1000), -0x80000000), 0x7fffffff)
  target.writeUInt16LE(0x5455, at)
  target.writeUInt16LE(5, at + 2)
  target.writeUInt8(1, at + 4)
  target.writeInt32LE(seconds, at + 5)
  return at + TIMESTAMP_EXTRA
}

function zip64Length(fields: number): number {
  return fields === 0 ? 0 : 4 + 8 * fields
}

/** Writes the ZIP64 extended information extra field 0x0001 (4.5.3). */
function writeZip64(target: Buffer, at: number, values: number[]): void {
  target.writeUInt16LE(0x0001, at)
  target.writeUInt16LE(8 * values.length, at + 2)
  for (const [index, value] of values.entries()) writeUInt64(target, value, at + 4 + 8 * index)
}

/** Writes an integer up to 2^53 - 1. */
function writeUInt64(target: Buffer, value: number, at: number): void {
  target.writeUInt32LE(value % 0x100000000, at)
  target.writeUInt32LE(Math.floor(value / 0x100000000), at + 4)
}
