import { fileHeaders, zipHeaders } from '../../src/downloads/bytes/headers.ts'
import { parseRange } from '../../src/downloads/bytes/ranges.ts'
import { zipFileName } from '../../src/downloads/zip/names.ts'
import type { Bytes } from '../../uploader/encryption/bytes.ts'
import type { PlainRange } from '../../uploader/encryption/segments.ts'
import { fileChunks } from './file-bytes.ts'
import type { DecryptedFile, DecryptedShare } from './share.ts'
import { streamOf } from './streams.ts'
import { planOf, zipChunks } from './zip-bytes.ts'

/** Bytes that are decrypted when they are read. */
interface Representation {
  headers: Record<string, string>
  size: number
  etag: string
  chunks(range: PlainRange, signal: AbortSignal): AsyncGenerator<Bytes, void>
}

const isProtected = true // so that no cache keeps what was decrypted

/** Responds as the server does for a share that is not encrypted; null: there is no such file. */
export function respondTo(share: DecryptedShare, { pathname, searchParams }: URL, range: string | null): Response | null {
  const id = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1))
  const found = id === 'zip' ? zipOf(share, searchParams) : fileOf(share, id, searchParams.get('download') === 'false')
  return found && responseWith(found, range)
}

function fileOf(share: DecryptedShare, id: string, inline: boolean): Representation | null {
  const file = share.files.find((file) => file.id === id)
  if (!file) return null
  return {
    headers: fileHeaders(file.name, { inline, isProtected }),
    size: file.size,
    etag: `"${id}"`,
    chunks: (range, signal) => fileChunks(share, file, signal, range),
  }
}

function zipOf(share: DecryptedShare, params: URLSearchParams): Representation | null {
  const folder = params.get('folder')
  const files = filesOf(share, folder, params.get('selection'))
  if (files.length === 0) return null
  const cut = folder === null ? 0 : folder.lastIndexOf('/') + 1
  const zip = planOf(share, files, cut)
  const name = zipFileName(folder === null ? share.title : folder.slice(cut), share.id)
  return {
    headers: zipHeaders(name, { isProtected }),
    size: zip.plan.size,
    etag: `"${share.openedAt}-${zip.plan.size}"`,
    chunks: (range, signal) => zipChunks(share, zip, range, signal),
  }
}

function filesOf({ files, selections }: DecryptedShare, folder: string | null, selection: string | null): readonly DecryptedFile[] {
  if (folder !== null) return files.filter(({ name }) => name.startsWith(`${folder}/`))
  if (selection === null) return files
  const ids = new Set(selections[Number(selection)])
  return files.filter(({ id }) => ids.has(id))
}

function responseWith({ headers, size, etag, chunks }: Representation, header: string | null): Response {
  const range = parseRange(header ?? undefined, size)
  if (range === 'unsatisfiable') return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  const [start, end] = range ? [range.start, range.end + 1] : [0, size]
  const body = size === 0 ? null : streamOf((signal) => chunks({ start, end }, signal))
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      etag,
      'accept-ranges': 'bytes',
      'content-length': String(end - start),
      ...(range && { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    },
  })
}
