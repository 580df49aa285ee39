import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export interface Sealer {
  /** Encrypts a secret for storage outside the process. */
  seal(secret: string): string
  /**
   * Decrypts what `seal` returned.
   * @throws {Error} when it was sealed with another SECRET_KEY or was changed
   */
  open(sealed: string): string
  /** Derives a key of 32 bytes for one purpose. */
  key(purpose: string): Buffer
}

/**
 * Creates a sealer: AES-256-GCM under a key that HKDF-SHA-256 (RFC 5869) derives from SECRET_KEY.
 * Each purpose has its own key.
 */
export function createSealer(secretKey: string): Sealer {
  const key = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, '', `razorbill ${purpose}`, 32))
  const sealingKey = key('sealed secrets')
  return {
    key,
    seal(secret) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealingKey, iv)
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed) {
      const bytes = Buffer.from(sealed.slice(3), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
