import type { Writable } from 'node:stream'
import { crc32 } from '@node-rs/crc32'
import { DamagedObject } from '../object-store.ts'

/** What the bytes of an object must be. */
export interface ExpectedBytes {
  key: string
  /** Bytes. */
  size: number
  crc32: number
}

/**
 * Runs `send`, which calls `begin` and then writes all bytes of an object to `to`. If their CRC-32
 * differs from the expected one, `to` is destroyed instead of getting the last of them.
 *
 * @throws {DamagedObject} the CRC-32 differs
 * @throws the errors of `send`
 */
export async function sendCompared(expected: ExpectedBytes, to: Writable, send: (begin: () => void) => Promise<void>): Promise<void> {
  const write = to.write as (chunk: Uint8Array, ...rest: unknown[]) => boolean
  const comparing = Promise.withResolvers<never>()
  let [sent, crc] = [0, 0]
  const compare = (chunk: Uint8Array, ...rest: unknown[]) => {
    crc = crc32(chunk, crc)
    sent += chunk.length
    if (sent < expected.size || crc === expected.crc32) return write.call(to, chunk, ...rest)
    comparing.reject(damaged(expected))
    return false
  }
  const sending = send(() => {
    to.write = compare
  })
  try {
    await Promise.race([sending, comparing.promise])
  } catch (error) {
    if (error instanceof DamagedObject) to.destroy() // which ends `sending`
    throw error
  } finally {
    to.write = write
  }
}

/**
 * Throws if bytes in memory differ from the expected ones.
 *
 * @throws {DamagedObject} the CRC-32 differs
 */
export function requireBytes(expected: ExpectedBytes, bytes: Uint8Array): void {
  if (crc32(bytes) !== expected.crc32) throw damaged(expected)
}

function damaged({ key }: ExpectedBytes): DamagedObject {
  return new DamagedObject(`${key} differs from the uploaded file: its CRC-32 has changed`)
}
