// Gokapi stores how a file is encrypted as a Go struct in gob encoding (pkg.go.dev/encoding/gob): a
// message with the type, then one with the value. A value lists only fields that are not zero.

/**
 * Whether Gokapi's `EncryptionInfo` says that the file is encrypted. Its first field is
 * `IsEncrypted`.
 *
 * @throws {RangeError} the bytes are damaged
 */
export function isEncrypted(gob: Uint8Array): boolean {
  const reader = new GobReader(gob)
  for (;;) {
    const end = reader.uint() + reader.offset
    if (reader.int() >= 0) return reader.uint() === 1
    reader.offset = end
  }
}

class GobReader {
  offset = 0
  readonly #bytes: DataView

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = new DataView(buffer, byteOffset, byteLength)
  }

  /** Reads a number below 128 as one byte; a larger one as its negated length and its bytes. */
  uint(): number {
    const first = this.#bytes.getUint8(this.offset++)
    if (first < 128) return first
    let value = 0
    for (let left = 256 - first; left > 0; left--) value = value * 256 + this.#bytes.getUint8(this.offset++)
    return value
  }

  /** Reads a signed number, whose lowest bit is the sign. */
  int(): number {
    const value = this.uint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
