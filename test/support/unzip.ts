import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'

/** SHA-256 of each entry of a small archive (APPNOTE 4.3, without ZIP64), by its name. */
export function digestsInZip(path: string): Record<string, string> {
  const zip = readFileSync(path)
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const digests: Record<string, string> = {}
  let at = zip.readUInt32LE(end + 16)
  for (let entry = zip.readUInt16LE(end + 10); entry > 0; entry--) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)]
    const [nameLength, extraLength, commentLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)]
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const packed = zip.subarray(start, start + size)
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    digests[name] = createHash('sha256')
      .update(method === 0 ? packed : inflateRawSync(packed))
      .digest('hex')
    at += 46 + nameLength + extraLength + commentLength
  }
  return digests
}
