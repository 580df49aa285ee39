import type { ShareKey } from '../../uploader/encryption/keys.ts'

/** A share whose files this browser decrypts when they are downloaded or shown. */
export interface DecryptedShare {
  id: string
  key: ShareKey
  /** The address of the encrypted files; the ID of a file is appended. */
  storedAt: string
  /** What the zip of all files is named after. */
  title: string
  /** What the entries of a zip have as their time, in milliseconds since 1970. */
  openedAt: number
  files: readonly DecryptedFile[]
  /** IDs of the files of each zip that the visitor has selected. */
  selections: readonly (readonly string[])[]
}

export interface DecryptedFile {
  /** The server's ID. */
  id: string
  sealedName: string
  name: string
  /** Bytes of plaintext. */
  size: number
  crc32: number
}

/** What a page sends to the service worker; it replies through the message's port. */
export type ToServiceWorker = { kind: 'share'; share: DecryptedShare } | { kind: 'awake' }

/** What the service worker asks a page for; the page replies with a share or null. */
export interface FromServiceWorker {
  kind: 'share wanted'
  id: string
}
