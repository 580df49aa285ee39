/** The CRC-32 polynomial of ISO 3309 and zlib, bits reflected: the highest bit is the coefficient of x^0. */
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000

/** The product of two polynomials over GF(2), modulo POLYNOMIAL. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= b
    b = b & 1 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1
  }
  return product >>> 0
}

/** x^(2^n) for n = 0…31; the row repeats from there, as x^(2^32) = x. */
const powers: number[] = [ONE >>> 1]
for (let n = 1; n < 32; n++) powers.push(multiply(powers[n - 1]!, powers[n - 1]!))

/** x^(8 × bytes) modulo POLYNOMIAL: what so many zero bytes do to a CRC. Divides where it could shift: lengths pass 32 bits. */
function shiftBy(bytes: number): number {
  let result = ONE
  for (let n = 3; bytes > 0; n++, bytes = Math.floor(bytes / 2)) if (bytes % 2 === 1) result = multiply(powers[n & 31]!, result)
  return result
}

/**
 * The CRC-32 of A followed by B, from the CRC-32 of each and B's length in bytes (0 to 2^53 - 1): zlib's crc32_combine (1.2.12 and later), which applies the
 * GF(2) matrix of `lengthB` zero bytes to A's CRC as one multiplication modulo the polynomial. Takes microseconds.
 */
export function crc32Combine(crcA: number, crcB: number, lengthB: number): number {
  return (multiply(shiftBy(lengthB), crcA) ^ crcB) >>> 0
}
