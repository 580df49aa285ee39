import { crc32 } from 'node:zlib'
import type { BrowserContext, Page } from 'playwright'
import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import { sealDocument } from '../../../uploader/encryption/document.ts'
import { shareKeyOf } from '../../../uploader/encryption/keys.ts'
import { linkWithKey, newLinkKey } from '../../../uploader/encryption/link-key.ts'
import { png } from '../png.ts'
import { generated, sealedBytes, sealedFile } from '../sealed.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Files of an encrypted share: a picture, one of several segments, a text and an empty one. */
export const exampleFiles = {
  'trip/a.png': new Uint8Array(png(60, 40, (x, y) => [x % 256, y % 256, 120, 255])),
  'trip/large.bin': generated('large', 2_500_000),
  'notes.txt': bytes('the secret notes'),
  'empty.txt': bytes(''),
}

interface Wishes {
  name?: string
  password?: string
  maxViews?: number
  /** Changes a stored file before it is uploaded. */
  damage?(name: string, sealed: Bytes): void
}

/** Creates an encrypted share of files up to 8 MiB through the API. Returns its path with the key. */
export async function createEncryptedShare(
  { request }: BrowserContext,
  id: string,
  files: Record<string, Bytes>,
  { name, password, maxViews, damage }: Wishes = {},
): Promise<string> {
  const send = async (method: string, path: string, body: { data?: object | Buffer } = {}) => {
    const answer = await request.fetch(`/api/shares${path}`, { method, ...body })
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
    return answer.json().catch(() => null)
  }
  const linkKey = newLinkKey()
  const key = await shareKeyOf(linkKey, password)
  const security = { ...(key.gatePassword && { password: key.gatePassword }), ...(maxViews && { maxViews }) }
  await send('POST', '', { data: { id, encrypted: true, expiration: '7-days', security } })
  const described = []
  for (const [path, content] of Object.entries(files)) {
    const { source } = await sealedFile(key, content)
    const { id: fileId } = await send('POST', `/${id}/files`, { data: { name: source.name, size: source.size } })
    const sealed = await sealedBytes(source)
    damage?.(path, sealed)
    await send('PUT', `/${id}/files/${fileId}/parts/1`, { data: Buffer.from(sealed) })
    await send('POST', `/${id}/files/${fileId}/complete`)
    described.push({ file: source.name, name: path, type: '', size: content.length, crc32: crc32(content) })
  }
  const content = { name: name ?? null, description: null, kind: 'files' as const, files: described }
  await send('PUT', `/${id}/document`, { data: Buffer.from(await sealDocument(key, 1, content)) })
  await send('POST', `/${id}/complete`)
  return linkWithKey(`/share/${id}`, linkKey)
}

/** Enters a whole link in the address bar, where the page of the share is open already. */
export function pasteKey(page: Page, path: string): Promise<unknown> {
  return page.evaluate(`void (location.hash = ${JSON.stringify(new URL(path, 'http://localhost').hash)})`)
}
