import { utf8Length } from '../../utf8-length.ts'
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
const encoder = new TextEncoder()

/** Bytes that own their buffer. */
type Bytes = Uint8Array<ArrayBuffer>

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
export function localHeader(entry: ZipEntry): Bytes {
  const nameBytes = utf8Length(entry.name)
  const isWide = hasWideSizes(entry)
  const header = new Uint8Array(LOCAL_HEADER + nameBytes + TIMESTAMP_EXTRA + zip64Length(isWide ? 2 : 0))
  const known = entry.deflatedSize === undefined ? entry : { ...entry, crc32: 0, size: 0, deflatedSize: 0 }
  const view = new DataView(header.buffer)
  view.setUint32(0, 0x04034b50, true)
  writeCommon(view, 4, known, isWide, { nameBytes, extraBytes: header.length - LOCAL_HEADER - nameBytes })
  if (isWide) header.fill(0xff, 18, 26)
  encoder.encodeInto(entry.name, header.subarray(LOCAL_HEADER))
  const extra = writeTimestamp(view, LOCAL_HEADER + nameBytes, entry.modified)
  if (isWide) writeZip64(view, extra, [known.size, known.size])
  return header
}

/** Returns the data descriptor that follows the data of a deflated entry (APPNOTE 4.3.9). */
export function dataDescriptor(entry: ZipEntry): Bytes {
  const isWide = hasWideSizes(entry)
  const descriptor = new Uint8Array(isWide ? 24 : 16)
  const view = new DataView(descriptor.buffer)
  view.setUint32(0, 0x08074b50, true)
  view.setUint32(4, entry.crc32, true)
  for (const [index, size] of [entry.deflatedSize ?? 0, entry.size].entries()) {
    if (isWide) writeUInt64(view, size, 8 + 8 * index)
    else view.setUint32(8 + 4 * index, size, true)
  }
  return descriptor
}

/**
 * Returns an entry's central directory record (APPNOTE 4.3.12). A ZIP64 extra field holds only what
 * does not fit (4.5.3).
 */
export function centralRecord(entry: ZipEntry, offset: number): Bytes {
  const nameBytes = utf8Length(entry.name)
  const wide = wideFields(entry.size, entry.deflatedSize ?? entry.size, offset)
  const record = new Uint8Array(CENTRAL_RECORD + nameBytes + TIMESTAMP_EXTRA + zip64Length(wide.length))
  const view = new DataView(record.buffer)
  view.setUint32(0, 0x02014b50, true)
  view.setUint16(4, MADE_BY, true)
  writeCommon(view, 6, entry, wide.length > 0 || hasWideSizes(entry), {
    nameBytes,
    extraBytes: record.length - CENTRAL_RECORD - nameBytes,
  })
  view.setUint32(38, UNIX_FILE_MODE, true)
  view.setUint32(42, Math.min(offset, UINT32_MAX), true)
  encoder.encodeInto(entry.name, record.subarray(CENTRAL_RECORD))
  const extra = writeTimestamp(view, CENTRAL_RECORD + nameBytes, entry.modified)
  if (wide.length > 0) writeZip64(view, extra, wide)
  return record
}

/**
 * Returns the end of central directory record (APPNOTE 4.3.16). The ZIP64 record and its locator
 * (4.3.14, 4.3.15) precede it if a count or an offset needs them.
 */
export function endRecords(entries: number, directorySize: number, directoryOffset: number): Bytes {
  const records = new Uint8Array(endLength(entries, directorySize, directoryOffset))
  const view = new DataView(records.buffer)
  if (needsZip64End(entries, directorySize, directoryOffset)) {
    view.setUint32(0, 0x06064b50, true)
    writeUInt64(view, ZIP64_END - 12, 4)
    view.setUint16(12, MADE_BY, true)
    view.setUint16(14, NEEDS_ZIP64, true)
    writeUInt64(view, entries, 24)
    writeUInt64(view, entries, 32)
    writeUInt64(view, directorySize, 40)
    writeUInt64(view, directoryOffset, 48)
    view.setUint32(ZIP64_END, 0x07064b50, true)
    writeUInt64(view, directoryOffset + directorySize, ZIP64_END + 8)
    view.setUint32(ZIP64_END + 16, 1, true)
  }
  const end = records.length - END
  view.setUint32(end, 0x06054b50, true)
  view.setUint16(end + 8, Math.min(entries, UINT16_MAX), true)
  view.setUint16(end + 10, Math.min(entries, UINT16_MAX), true)
  view.setUint32(end + 12, Math.min(directorySize, UINT32_MAX), true)
  view.setUint32(end + 16, Math.min(directoryOffset, UINT32_MAX), true)
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
  target: DataView,
  at: number,
  entry: ZipEntry,
  zip64: boolean,
  lengths: { nameBytes: number; extraBytes: number },
): void {
  const isDeflated = entry.deflatedSize !== undefined
  target.setUint16(at, zip64 ? NEEDS_ZIP64 : NEEDS_FOLDERS, true)
  target.setUint16(at + 2, isDeflated ? FLAGS | HAS_DESCRIPTOR : FLAGS, true)
  target.setUint16(at + 4, isDeflated ? DEFLATED : STORED, true)
  target.setUint32(at + 6, dosTime(entry.modified), true)
  target.setUint32(at + 10, entry.crc32, true)
  target.setUint32(at + 14, Math.min(entry.deflatedSize ?? entry.size, UINT32_MAX), true)
  target.setUint32(at + 18, Math.min(entry.size, UINT32_MAX), true)
  target.setUint16(at + 22, lengths.nameBytes, true)
  target.setUint16(at + 24, lengths.extraBytes, true)
}
