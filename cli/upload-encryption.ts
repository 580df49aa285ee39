import { crc32 } from 'node:zlib'
import type { NewShare } from '../src/shares/contract.ts'
import { type Bytes, fromBase64Url, toBase64Url } from '../uploader/encryption/bytes.ts'
import { fileKeyOf, keyMaterialOf, linkKeyBytes, newSealedName, type ShareKey, shareKeyFrom } from '../uploader/encryption/keys.ts'
import { linkWithKey, newLinkKey } from '../uploader/encryption/link-key.ts'
import { SealedSource } from '../uploader/encryption/sealed-source.ts'
import type { FileSource } from '../uploader/types.ts'
import { Failure } from './failure.ts'
import type { UploadShare } from './unfinished.ts'

interface NewEncryption {
  /** What the server is told about the share. */
  body: NewShare
  /** What is stored until the upload is complete. */
  stored: Pick<UploadShare, 'name' | 'encrypted' | 'keyMaterial'>
}

/** Creates the keys of a share. What only its visitors may read is left out of `body`. */
export async function newEncryption({ name = null, description = null, security, ...rest }: NewShare): Promise<NewEncryption> {
  const material = await keyMaterialOf(newLinkKey(), security?.password ?? '')
  const { gatePassword } = await shareKeyFrom(material)
  return {
    body: { ...rest, encrypted: true, security: { ...security, ...(gatePassword && { password: gatePassword }) } },
    stored: { name, encrypted: { description, kind: 'files' }, keyMaterial: toBase64Url(material) },
  }
}

/** Returns the keys of an upload; null if it is not encrypted. */
export async function shareKeyFor(share: UploadShare): Promise<ShareKey | null> {
  const material = materialOf(share)
  return material && shareKeyFrom(material)
}

/** Returns the link of an upload, with its key if it is encrypted. */
export function wholeLinkOf(share: UploadShare): string {
  const material = materialOf(share)
  return material ? linkWithKey(share.link, material.slice(0, linkKeyBytes)) : share.link
}

/** Returns a file that is encrypted while it is sent. A resumed one keeps its name on the server. */
export function seal(plain: FileSource, key: ShareKey, { sealedName = newSealedName(), crc32: knownCrc32 }: KnownFile = {}): SealedSource {
  const fileKey = fileKeyOf(key, sealedName).then((found) => found ?? Promise.reject(damagedState()))
  fileKey.catch(() => {}) // reported when the file is sent
  return new SealedSource(plain, { sealedName, key: fileKey, crc32, knownCrc32 })
}

interface KnownFile {
  sealedName?: string
  crc32?: number
}

function materialOf({ keyMaterial }: UploadShare): Bytes | null {
  if (keyMaterial === undefined) return null
  const material = fromBase64Url(keyMaterial, linkKeyBytes) ?? fromBase64Url(keyMaterial, 2 * linkKeyBytes)
  if (!material) throw damagedState()
  return material
}

const damagedState = () => new Failure('failure', 'state_damaged', 'The stored state of the upload is damaged. Upload the files again.')
