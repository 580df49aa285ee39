import type { JournalShare } from '../journal.ts'
import type { FileSource } from '../types.ts'
import { plainCrc32 } from './plain-crc32.ts'
import type { ComputeCrc32 } from './sealed-source.ts'
import type { ShareContent, SharedFileContent } from './share-content.ts'

/** Returns what the document of a share says about it and its encrypted files. */
export async function describe(
  { name = null, encrypted }: Pick<JournalShare, 'name' | 'encrypted'>,
  sources: readonly FileSource[],
  crc32: ComputeCrc32,
): Promise<ShareContent> {
  const files: SharedFileContent[] = []
  for (const source of sources) {
    const plain = source.plain ?? source
    const { name, type, size } = plain
    files.push({ file: source.name, name, type, size, crc32: source.crc32?.() ?? (await plainCrc32(plain, crc32)) })
  }
  return { name, description: encrypted?.description ?? null, kind: encrypted?.kind ?? 'files', files }
}
