const DOS_FIRST = Date.UTC(1980, 0, 1)
const DOS_LAST = Date.UTC(2107, 11, 31, 23, 59, 58)

/** The length in bytes of what `writeTimestamp` writes. */
export const TIMESTAMP_EXTRA = 9

/**
 * Returns time (low half) and date (high half) in two-second steps (4.4.6). In UTC, so that every
 * replica writes the same bytes.
 */
export function dosTime(modified: Date): number {
  const time = modified.getTime()
  if (time !== last.time) last = { time, dos: computeDosTime(time) }
  return last.dos
}

/** Files of one upload often have the same time. */
let last = { time: Number.NaN, dos: 0 }

function computeDosTime(modified: number): number {
  const date = new Date(Math.min(Math.max(modified, DOS_FIRST), DOS_LAST))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return day * 0x10000 + time
}

/**
 * Writes Info-ZIP's extended timestamp 0x5455 "UT": the modification time in seconds since 1970
 * UTC, signed 32-bit. Returns the offset after it.
 */
export function writeTimestamp(target: DataView, at: number, modified: Date): number {
  const seconds = Math.min(Math.max(Math.floor(modified.getTime() / 1000), -0x80000000), 0x7fffffff)
  target.setUint16(at, 0x5455, true)
  target.setUint16(at + 2, 5, true)
  target.setUint8(at + 4, 1)
  target.setInt32(at + 5, seconds, true)
  return at + TIMESTAMP_EXTRA
}

/** Returns the length in bytes of a ZIP64 extra field with this many values. */
export function zip64Length(fields: number): number {
  return fields === 0 ? 0 : 4 + 8 * fields
}

/** Writes the ZIP64 extended information extra field 0x0001 (4.5.3). */
export function writeZip64(target: DataView, at: number, values: number[]): void {
  target.setUint16(at, 0x0001, true)
  target.setUint16(at + 2, 8 * values.length, true)
  for (const [index, value] of values.entries()) writeUInt64(target, value, at + 4 + 8 * index)
}

/** Writes an integer up to 2^53 - 1. */
export function writeUInt64(target: DataView, value: number, at: number): void {
  target.setUint32(at, value % 0x100000000, true)
  target.setUint32(at + 4, Math.floor(value / 0x100000000), true)
}
