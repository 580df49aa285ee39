/**
 * The CRC-32 polynomial of ISO 3309 and zlib with reflected bits: the highest bit is the
 * coefficient of x^0.
 */
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000

/** Multiplies two polynomials over GF(2), modulo POLYNOMIAL. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= b
    b = b & 1 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1
  }
  return product >>> 0
}

/** x^(2^n) for n = 0…31; the sequence repeats from there, as x^(2^32) = x. */
const powers = new Uint32Array(32)
for (let n = 0, power = ONE >>> 1; n < 32; n++, power = multiply(power, power)) powers[n] = power

/**
 * Returns x^(8 × bytes) modulo POLYNOMIAL: what that many zero bytes do to a CRC. It divides rather
 * than shifts, because lengths exceed 32 bits.
 */
function shiftBy(bytes: number): number {
  let result = ONE
  let left = bytes
  for (let n = 3; left > 0; n++, left = Math.floor(left / 2)) if (left % 2 === 1) result = multiply(powers[n & 31] ?? 0, result)
  return result
}

/**
 * Returns the CRC-32 of A followed by B, from the CRC-32 of each and B's length in bytes (0 to 2^53
 * - 1). Like zlib's crc32_combine (1.2.12 and later), it applies `lengthB` zero bytes to A's CRC
 * with one multiplication modulo the polynomial. It takes microseconds.
 */
export function crc32Combine(crcA: number, crcB: number, lengthB: number): number {
  return (multiply(shiftBy(lengthB), crcA) ^ crcB) >>> 0
}
