import type { OwnerPage } from '../../../../src/shares/contract.ts'
import type { ShareContent } from '../../../../uploader/encryption/share-content.ts'
import { begunFile } from '../begun-files.ts'

/**
 * Returns a share with the names and sizes that its document has. Files that the document does not
 * list yet, because their upload was interrupted, are unfinished. `unnamed` names those of another
 * browser.
 */
export function decryptedPage(page: OwnerPage, { name, description, kind, files }: ShareContent, unnamed: string): OwnerPage {
  const described = new Map(files.map((file) => [file.file, file]))
  const named = <T extends { name: string; size: string }>(file: T): T => {
    const known = described.get(file.name)
    return known ? { ...file, name: known.name, size: String(known.size) } : { ...file, name: unnamed }
  }
  const isListed = (file: { name: string }) => described.has(file.name)
  const begun = ({ id, size }: { id: string; size: string }) => {
    const plain = begunFile(page.id, id)?.plain
    return { id, name: plain?.name ?? unnamed, size: String(plain?.size ?? size) }
  }
  return {
    ...page,
    name,
    description,
    kind,
    files: page.files.filter(isListed).map((file) => ({ ...named(file), olderName: null })),
    removedFiles: page.removedFiles.map(named),
    unfinishedFiles: [...page.unfinishedFiles, ...page.files.filter((file) => !isListed(file))].map(begun),
  }
}
