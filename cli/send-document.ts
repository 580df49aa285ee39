import { crc32 } from 'node:zlib'
import { backoff, pause } from '../uploader/backoff.ts'
import type { Bytes } from '../uploader/encryption/bytes.ts'
import { describe } from '../uploader/encryption/describe.ts'
import { sealDocument } from '../uploader/encryption/document.ts'
import type { ShareKey } from '../uploader/encryption/keys.ts'
import { classifyResponse } from '../uploader/responses.ts'
import { parseJson, parseRetryAfter } from '../uploader/transport.ts'
import type { FileSource, Problem } from '../uploader/types.ts'
import { type Server, textOf } from './server.ts'
import type { UploadShare } from './unfinished.ts'

const attempts = 8
const [retryDelay, retryDelayMax] = [1_000, 30_000] // ms
const timeout = 120_000 // ms

/**
 * Encrypts and sends the document of a share, which says what its files are. Returns a problem that
 * stops the upload, or null.
 */
export async function sendDocument(
  server: Server,
  share: UploadShare,
  key: ShareKey,
  { sources, signal }: { sources: readonly FileSource[]; signal: AbortSignal },
): Promise<Problem | null> {
  const content = await describe(share, sources, crc32)
  let revision = 1
  for (let attempt = 1; !signal.aborted; attempt++) {
    const result = await put(server, share.id, await sealDocument(key, revision, content), signal)
    if (result.kind === 'done') return null
    if (result.kind === 'unauthorized') return { code: 'session_ended', details: {} }
    const problem = 'problem' in result ? result.problem : null
    const last = problem?.code === 'document_outdated' ? Number(problem.details.revision) : Number.NaN
    if (Number.isSafeInteger(last))
      revision = last + 1 // the response to an earlier attempt was lost
    else if (problem && result.kind !== 'again') return problem
    if (attempt >= attempts) return problem ?? { code: 'network', details: {} }
    await pause((result.kind === 'busy' ? result.retryAfter : null) ?? backoff(attempt, retryDelay, retryDelayMax), signal)
  }
  return null
}

async function put(server: Server, id: string, bytes: Bytes, outer: AbortSignal) {
  const url = `${server.url}/api/shares/${encodeURIComponent(id)}/document`
  const headers = { ...server.headers(), 'content-type': 'application/octet-stream' }
  const signal = AbortSignal.any([outer, AbortSignal.timeout(timeout)])
  try {
    const response = await server.fetch(url, { method: 'PUT', headers, body: bytes, redirect: 'manual', signal })
    const retryAfter = parseRetryAfter(response.headers.get('retry-after'))
    return classifyResponse({ status: response.status, body: parseJson(await textOf(response)), retryAfter })
  } catch {
    return { kind: 'again', problem: { code: 'network', details: {} } } as const
  }
}
