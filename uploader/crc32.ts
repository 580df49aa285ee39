/** Bytes that one step of the loop reads. */
const step = 8

/**
 * Tables of 256 numbers, one for each byte of a step. Table `n` has the CRC of each byte with `n`
 * zero bytes after it, so a step needs no loop over its bits.
 */
const tables = new Int32Array(step * 256)
for (let byte = 0; byte < 256; byte++) {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  tables[byte] = value
}
for (let at = 256; at < tables.length; at++) {
  const shorter = tables[at - 256] ?? 0
  tables[at] = (shorter >>> 8) ^ (tables[shorter & 0xff] ?? 0)
}

/** Returns the CRC-32 of bytes, as in zip files. */
export function crc32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let crc = -1
  let at = 0
  for (; at + step <= bytes.length; at += step) {
    let low = view.getInt32(at, true) ^ crc
    let high = view.getInt32(at + 4, true)
    crc = 0
    for (let table = 1024; table > 0; table -= 256) {
      crc ^= (tables[table + 768 + (low & 0xff)] ?? 0) ^ (tables[table - 256 + (high & 0xff)] ?? 0)
      low >>>= 8
      high >>>= 8
    }
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ (tables[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
  return ~crc >>> 0
}
