import { argon2id } from 'hash-wasm'
import type { Bytes } from './bytes.ts'

/**
 * Returns 32 bytes derived from a share's password (Argon2id, 64 MiB, 3 passes). Takes up to a
 * second, and longer on phones. Import this module only for a share with a password.
 */
export async function stretchPassword(password: string, salt: Bytes): Promise<Bytes> {
  const stretched = await argon2id({
    password: password.normalize('NFC'),
    salt,
    memorySize: 65_536, // KiB
    iterations: 3,
    parallelism: 1,
    hashLength: 32,
    outputType: 'binary',
  })
  return new Uint8Array(stretched)
}
