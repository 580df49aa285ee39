/** Castagnoli's polynomial (RFC 3720, 12.1), bits reflected. */
const POLYNOMIAL = 0x82f63b78

// Eight tables: eight bytes a step ("slicing by 8"), four times as fast as one.
const tables = Array.from({ length: 8 }, () => new Uint32Array(256))
for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  tables[0]![byte] = crc
}
for (let n = 1; n < 8; n++) {
  for (let byte = 0; byte < 256; byte++) {
    const before = tables[n - 1]![byte]!
    tables[n]![byte] = tables[0]![before & 255]! ^ (before >>> 8)
  }
}
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
]

/** The CRC-32C of `bytes`, going on from `value`, the one of the bytes before. */
export function crc32c(bytes: Uint8Array, value = 0): number {
  let crc = ~value
  let at = 0
  for (const end = bytes.length - 7; at < end; at += 8) {
    const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24))
    crc =
      t7[low & 255]! ^
      t6[(low >>> 8) & 255]! ^
      t5[(low >>> 16) & 255]! ^
      t4[low >>> 24]! ^
      t3[bytes[at + 4]!]! ^
      t2[bytes[at + 5]!]! ^
      t1[bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!
  }
  for (; at < bytes.length; at++) crc = t0[(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8)
  return ~crc >>> 0
}
