// Headers of the tar format (POSIX.1-2017, pax). Each is a block of 512 bytes with texts and octal
// numbers at fixed places.

const block = 512
const nameMax = 100 // bytes
const sizeMax = 8 ** 11

/** Returns the zero bytes between the end of a file and the next header. */
export const padding = (size: number) => Buffer.alloc((block - (size % block)) % block)
/** What ends a tar file. */
export const tarEnd = Buffer.alloc(2 * block)

/**
 * Returns the header of a file, with an extended header before it for what the plain one can't
 * hold.
 */
export function fileHeader(path: string, size: number, modified: Date): Buffer {
  const needsName = Buffer.byteLength(path) > nameMax || !/^[ -~]*$/.test(path)
  const records = [...(needsName ? [record('path', path)] : []), ...(size >= sizeMax ? [record('size', String(size))] : [])]
  const plain = header(path, size, modified, '0')
  if (records.length === 0) return plain
  const extended = Buffer.concat(records)
  return Buffer.concat([header('pax', extended.length, modified, 'x'), extended, padding(extended.length), plain])
}

function header(path: string, size: number, modified: Date, type: string): Buffer {
  const bytes = Buffer.alloc(block)
  const put = (text: string, offset: number, length: number) => bytes.write(text, offset, length, 'utf8')
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0')
  put(path, 0, nameMax)
  put(octal(0o600, 8), 100, 8)
  put(octal(0, 8), 108, 8)
  put(octal(0, 8), 116, 8)
  put(octal(size < sizeMax ? size : 0, 12), 124, 12)
  put(octal(Math.max(0, Math.floor(modified.getTime() / 1000)), 12), 136, 12)
  put('        ', 148, 8) // counts as spaces in its own checksum
  put(type, 156, 1)
  put('ustar\x0000', 257, 8)
  put(
    `${octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      7,
    )}\0 `,
    148,
    8,
  )
  return bytes
}

/**
 * Returns a record of an extended header: its own length in bytes, a space, the pair and a newline.
 */
function record(name: string, value: string): Buffer {
  const rest = ` ${name}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  let length = bytes
  while (length !== bytes + String(length).length) length = bytes + String(length).length
  return Buffer.from(`${length}${rest}`)
}
