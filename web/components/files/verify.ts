import { crc32 } from '../../../uploader/crc32.ts'
import { type InterruptedUpload, type JournalFile, matchFiles } from '../../../uploader/journal.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { api } from '../../api.ts'

/**
 * Returns the first file that has the name and size, but not the content of one that another
 * browser began to upload.
 *
 * @throws {ApiError}
 */
export async function findChanged({ share, files }: InterruptedUpload, sources: readonly FileSource[]): Promise<FileSource | undefined> {
  for (const [file, source] of matchFiles(files, sources).found) if (!(await isSameFile(share.id, file, source))) return source
  return undefined
}

/**
 * Returns whether a file has the content of the one that another browser began to upload, by the
 * first part whose checksum the server knows. True also where it knows none.
 */
async function isSameFile(shareId: string, { fileId, done }: JournalFile, source: FileSource): Promise<boolean> {
  if (!fileId || done) return true
  const { partSize, parts, crc32: checksums } = await api('GET /api/shares/:id/files/:fileId/parts', { params: { id: shareId, fileId } })
  const index = checksums.findIndex((checksum) => checksum !== null)
  if (index < 0) return true
  const start = ((parts[index] ?? 1) - 1) * partSize
  const bytes = await source.slice(start, Math.min(start + partSize, source.size)).arrayBuffer()
  return crc32(new Uint8Array(bytes)) === checksums[index]
}
