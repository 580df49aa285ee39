import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export interface Sealer {
  /** Encrypts a secret for the database. */
  seal(secret: string): string
  /** Opens what `seal` made; throws when it was made with another SECRET_KEY or was changed. */
  open(sealed: string): string
  /** A key of 32 bytes of its own for one purpose. */
  key(purpose: string): Buffer
}

/** Secrets at rest: AES-256-GCM under a key derived from SECRET_KEY by HKDF-SHA-256 (RFC 5869); each purpose has a key of its own. */
export function createSealer(secretKey: string): Sealer {
  const key = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, '', `razorbill ${purpose}`, 32))
  const sealing = key('sealed secrets')
  return {
    key,
    seal(secret) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealing, iv)
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed) {
      const bytes = Buffer.from(sealed.slice(3), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
