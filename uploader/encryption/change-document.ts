import type { Bytes } from './bytes.ts'
import { type OpenedDocument, openDocument, sealDocument } from './document.ts'
import type { ShareKey } from './keys.ts'
import type { ShareContent } from './share-content.ts'

const attempts = 20

/** Where the document of a share that is being edited is stored. */
export interface DocumentStore {
  /** Loads the document with unsaved changes. */
  load(): Promise<Bytes>
  /** Stores the next document. Returns null, or the revision of the last one if it isn't the next. */
  store(document: Bytes): Promise<number | null>
}

/**
 * Changes the document of a share that is being edited. If another editor has stored a document
 * meanwhile, that one is changed, so that no change is lost. `seen` is the highest revision of a
 * published document that this client has seen.
 * @throws EncryptionError
 * @throws RangeError when the document would exceed 16 MiB
 * @throws Error the errors of `load` and `store`, or other editors keep changing the document
 */
export async function changeDocument(
  key: ShareKey,
  { load, store }: DocumentStore,
  change: (content: ShareContent) => ShareContent,
  seen = 0,
): Promise<OpenedDocument> {
  for (let attempt = 1, last = 0; attempt <= attempts; attempt++) {
    const opened = await openDocument(key, await load(), seen)
    const revision = Math.max(last, opened.revision) + 1 // discarded documents have used revisions too
    const content = change(opened.content)
    const stored = await store(await sealDocument(key, revision, content))
    if (stored === null) return { revision, content }
    last = stored
  }
  throw new Error('Other editors keep changing the document')
}
