import { join } from 'node:path'
import type { SharePage } from '../src/shares/contract.ts'
import { documentMaxBytes } from '../src/shares/document/limits.ts'
import { byteSourceOf } from '../uploader/encryption/byte-source.ts'
import { openDocument } from '../uploader/encryption/document.ts'
import { EncryptionError } from '../uploader/encryption/error.ts'
import { ExactReader } from '../uploader/encryption/exact-reader.ts'
import { fileKeyOf, type ShareKey } from '../uploader/encryption/keys.ts'
import type { SealedFile } from '../uploader/encryption/open-stream.ts'
import { sealedSize } from '../uploader/encryption/segments.ts'
import type { ShareContent } from '../uploader/encryption/share-content.ts'
import { parseJson } from '../uploader/transport.ts'
import { Failure, failureOf } from './failure.ts'
import { stateFolder } from './folders.ts'
import { type Server, textOf } from './server.ts'
import { StateFile } from './state-file.ts'
import type { VisitorKeys } from './visitor-keys.ts'

const timeout = 120_000 // ms

export interface DecryptedPage {
  /** The share with its real name and those of its files. */
  share: SharePage
  /** The keys of its files by id. */
  sealed: Map<string, SealedFile>
  /** Names of files that the server does not have, or not completely. */
  missing: string[]
}

/**
 * Decrypts what the page of an encrypted share says. Returns a share that is not encrypted unchanged.
 * @throws Failure `key_missing`, `wrong_key`, `document_damaged`, `old_document`, `unknown_version`
 */
export async function decryptPage(server: Server, page: SharePage, keys: VisitorKeys): Promise<DecryptedPage> {
  if (!page.encrypted) return { share: page, sealed: new Map(), missing: [] }
  const key = await keys.keyFor(page)
  const content = await contentOf(server, page.id, key)
  const stored = new Map(page.files.map((file) => [file.name, file]))
  const sealed = new Map<string, SealedFile>()
  const files: SharePage['files'] = []
  const missing: string[] = []
  for (const { file, name, size } of content.files) {
    const found = stored.get(file)
    const fileKey = found?.size === String(sealedSize(size)) ? await fileKeyOf(key, file) : null
    if (found && fileKey) {
      files.push({ id: found.id, name, size: String(size) })
      sealed.set(found.id, { key: fileKey, size })
    } else missing.push(name)
  }
  return { share: { ...page, name: content.name, description: content.description, files }, sealed, missing }
}

async function contentOf(server: Server, id: string, key: ShareKey): Promise<ShareContent> {
  const bytes = await documentOf(server, id)
  const revisions = new StateFile(join(stateFolder(), 'revisions'))
  const place = `${server.url}/${id}`
  const seen = Number(revisions.getItem(place) ?? 0)
  const { revision, content } = await openDocument(key, bytes, seen).catch(asFailure)
  if (revision > seen) revisions.setItem(place, String(revision))
  return content
}

async function documentOf(server: Server, id: string) {
  const url = `${server.url}/api/shares/${encodeURIComponent(id)}/document`
  const response = await server.fetch(url, { headers: server.headers(), redirect: 'manual', signal: AbortSignal.timeout(timeout) })
  if (!response.ok || !response.body) throw failureOf(response.status, parseJson(await textOf(response)))
  const length = Number(response.headers.get('content-length') ?? Number.NaN)
  if (!(length <= documentMaxBytes)) throw new Failure('failure', 'unexpected_answer', 'The server sent a list of files that is too long.')
  return new ExactReader(byteSourceOf(response.body)).read(length).catch(asFailure)
}

function asFailure(error: unknown): never {
  if (!(error instanceof EncryptionError)) throw error
  throw new Failure(
    error.code === 'wrong_key' ? 'refused' : 'failure',
    error.code === 'damaged' ? 'document_damaged' : error.code,
    error.message,
  )
}
