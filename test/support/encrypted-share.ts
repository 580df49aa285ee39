import { crc32 } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { Bytes } from '../../uploader/encryption/bytes.ts'
import { openDocument, sealDocument } from '../../uploader/encryption/document.ts'
import { fileKeyOf, type ShareKey, shareKeyOf } from '../../uploader/encryption/keys.ts'
import { newLinkKey } from '../../uploader/encryption/link-key.ts'
import type { ShareContent } from '../../uploader/encryption/share-content.ts'
import { opened, sealedBytes, sealedFile } from './sealed.ts'
import { type Answer, ok, sharing } from './sharing.ts'

type Headers = Record<string, string>

/** One person's calls about encrypted shares. */
export function encrypting(app: FastifyInstance, headers: Headers = {}) {
  const calls = sharing(app, headers)
  const put = (id: string, bytes: Uint8Array): Promise<Answer> =>
    app.inject({
      method: 'PUT',
      url: `/api/shares/${id}/document`,
      headers: { 'content-type': 'application/octet-stream', ...headers },
      payload: Buffer.from(bytes),
    })
  return {
    ...calls,
    put,
    create: (id: string, more: object = {}) => calls.create(id, { encrypted: true, ...more }),
    /** Encrypts and uploads a file. Returns what the document says about it. */
    async upload(id: string, key: ShareKey, name: string, content: Bytes) {
      const { source } = await sealedFile(key, content)
      const fileId = await calls.file(id, source.name, Buffer.from(await sealedBytes(source)))
      return { fileId, described: { file: source.name, name, type: 'text/plain', size: content.length, crc32: crc32(content) } }
    },
    /** Creates and completes an encrypted share of these files. */
    async encrypt(id: string, files: Record<string, string>, more: { password?: string; name?: string; description?: string } = {}) {
      const linkKey = newLinkKey()
      const key = await shareKeyOf(linkKey, more.password)
      ok(await this.create(id, key.gatePassword ? { security: { password: key.gatePassword } } : {}))
      const uploads = []
      for (const [name, text] of Object.entries(files)) uploads.push(await this.upload(id, key, name, new TextEncoder().encode(text)))
      const described = uploads.map((upload) => upload.described)
      const content: ShareContent = { name: more.name ?? null, description: more.description ?? null, kind: 'files', files: described }
      ok(await put(id, await sealDocument(key, 1, content)))
      ok(await calls.call('POST', `/${id}/complete`))
      return { linkKey, key, content, fileIds: uploads.map(({ fileId }) => fileId) }
    },
    /** Opens a share as its visitors do. Returns its document and the texts of its files. */
    async open(id: string, key: ShareKey) {
      const cookies = await calls.unlock(id, key.gatePassword ?? undefined)
      const get = async (path: string) => ok(await app.inject({ url: `/api/shares/${id}${path}`, headers: cookies }))
      const page = (await get('')).json()
      const document = await openDocument(key, new Uint8Array((await get('/document')).rawPayload))
      const texts: Record<string, string> = {}
      for (const { file, name, size } of document.content.files) {
        const listed = page.files.find((stored: { name: string }) => stored.name === file)
        const bytes = (await get(`/files/${listed.id}`)).rawPayload
        texts[name] = (await opened(bytes, { key: (await fileKeyOf(key, file))!, size })).toString()
      }
      return { page, document, texts }
    },
  }
}
