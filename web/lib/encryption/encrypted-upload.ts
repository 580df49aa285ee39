import type { NewShare } from '../../../src/shares/contract.ts'
import { backoff, pause } from '../../../uploader/backoff.ts'
import { crc32 } from '../../../uploader/crc32.ts'
import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import { describe } from '../../../uploader/encryption/describe.ts'
import { sealDocument } from '../../../uploader/encryption/document.ts'
import { fileKeyOf, newSealedName, type ShareKey } from '../../../uploader/encryption/keys.ts'
import { linkWithKey, newLinkKey } from '../../../uploader/encryption/link-key.ts'
import { joinSealed, sealingTransport } from '../../../uploader/encryption/sealed-bytes.ts'
import { SealedSource } from '../../../uploader/encryption/sealed-source.ts'
import { withThumbnails } from '../../../uploader/encryption/thumbnail-room.ts'
import type { JournalFile, JournalShare } from '../../../uploader/journal.ts'
import type { FileSource, Problem } from '../../../uploader/types.ts'
import type { UploaderOptions } from '../../../uploader/uploader.ts'
import { renewSession } from '../session.ts'
import { xhrTransport } from '../upload/xhr-transport.ts'
import { deriveKey } from './derive-key.ts'
import { storedKey, storeKey } from './key-store.ts'
import { knownKey } from './opened-keys.ts'
import { sealInWorker } from './sealing.ts'
import { Thumbnails } from './thumbnails.ts'

/** The keys of a new share, and what the server is told about it. */
export interface NewEncryption {
  linkKey: Bytes
  key: ShareKey
  body: NewShare
}

/** Creates the keys of a share. What only its visitors may read is left out of `body`. */
export async function newEncryption({ name: _, description: __, kind: ___, ...body }: NewShare): Promise<NewEncryption> {
  const linkKey = newLinkKey()
  const key = await deriveKey(linkKey, body.security?.password ?? '')
  const security = { ...body.security, ...(key.gatePassword && { password: key.gatePassword }) }
  return { linkKey, key, body: { ...body, security } }
}

/** Stores the keys of a share that was created, so that its upload can be resumed. */
export function keepEncryption(id: string, { linkKey, key }: NewEncryption): Promise<void> {
  return storeKey(id, { linkKey, key })
}

/** Returns a share's whole link, if it was opened on this page or created in this browser; null otherwise. */
export async function wholeLinkOf(id: string, link: string): Promise<string | null> {
  const known = await knownKey(id)
  return known && linkWithKey(link, known.linkKey)
}

/** Returns the encryption of an interrupted upload; null if this browser has no key for it. */
export async function loadEncryption(share: JournalShare): Promise<EncryptedUpload | null> {
  const stored = await storedKey(share.id)
  return stored && new EncryptedUpload(share, stored.key)
}

/** Returns a file that is encrypted while it is sent, by default under a new name. */
export function sealFile(shareKey: ShareKey, plain: FileSource, sealedName = newSealedName()): FileSource {
  const key = fileKeyOf(shareKey, sealedName).then((key) => key ?? Promise.reject(new Error('The name is invalid')))
  key.catch(() => {}) // reported when the file is sent
  return new SealedSource(plain, { sealedName, key, crc32, seal: sealInWorker })
}

/** Encrypts the files of an upload while they are sent, and describes them in a document. */
export class EncryptedUpload {
  readonly #share: JournalShare
  readonly #key: ShareKey
  readonly #transport = sealingTransport(xhrTransport())
  readonly #thumbnails = new Thumbnails()

  constructor(share: JournalShare, key: ShareKey) {
    this.#share = share
    this.#key = key
  }

  /** What the uploader needs for it. */
  get options(): Pick<UploaderOptions, 'transport' | 'packs' | 'beforeCompleting'> {
    return { transport: this.#transport, packs: joinSealed, beforeCompleting: (files, signal) => this.#sendDocument(files, signal) }
  }

  /** Returns a file that is encrypted while it is sent, by default under a new name. */
  seal(plain: FileSource, sealedName?: string): FileSource {
    const sealed = sealFile(this.#key, plain, sealedName)
    this.#thumbnails.add(sealed.name, plain)
    return sealed
  }

  /** Returns a file of an interrupted upload. One that has arrived has no bytes, but a checksum. */
  sealAgain(file: JournalFile, plain: FileSource): FileSource {
    const sealed = this.seal(plain, file.sealedName)
    const { crc32 } = file
    if (!file.done || crc32 === undefined) return sealed
    return { ...withoutMethods(sealed), plain, slice: () => new Blob([]), crc32: () => crc32 }
  }

  async #sendDocument(files: readonly FileSource[], signal: AbortSignal): Promise<Problem | null> {
    const content = withThumbnails(await describe(this.#share, files, crc32), await this.#thumbnails.made())
    const { id } = this.#share
    const path = `/api/shares/${encodeURIComponent(id)}/document`
    for (let attempt = 1, revision = 1; !signal.aborted; attempt++) {
      const bytes = new Blob([await sealDocument(this.#key, revision, content)])
      const response = await this.#transport.put(path, bytes, { method: 'PUT', signal, onProgress() {} }).catch(() => null)
      const { error: code, ...details } = (response?.body ?? {}) as { error?: string; revision?: number }
      if (response && response.status < 300) return null
      if (details.revision !== undefined)
        revision = details.revision + 1 // the response to an earlier attempt was lost
      else if (response?.status === 401 && attempt < 4 && (await renewSession().catch(() => true))) continue
      else if (response && response.status < 500 && response.status !== 429) return { code: code ?? 'internal', details }
      await pause(backoff(attempt, 1_000, 30_000), signal)
    }
    return null
  }
}

const withoutMethods = ({ name, size, type, lastModified }: FileSource) => ({ name, size, type, lastModified })
