import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { OwnerPage, OwnShare, SharedFile } from '../../../src/shares/contract.ts'
import type { ShareContent } from '../../../uploader/encryption/share-content.ts'
import { api } from '../../api.ts'
import { errorText } from '../../lib/error-text.ts'
import { formatBytes } from '../../lib/format.ts'

const maxListed = 500
const rowHeight = 38 // CSS pixels, approximately
const boxHeight = 260 // as in table.css

interface Props {
  share: OwnShare
  /** Names the files of an encrypted share; null for another one. */
  content: ShareContent | null
}

/**
 * Lists the files that a share's visitors see. They are loaded on demand, because a page of shares
 * may have tens of thousands.
 */
export function FileNames({ share: { id, fileCount }, content }: Props) {
  const { t } = useTranslation()
  const { data, error } = useQuery({
    queryKey: ['shares', 'files', id],
    queryFn: async () => publishedFiles(await api('GET /api/shares/:id/from-owner', { params: { id } })),
  })
  const files = data && content ? named(data, content) : data
  if (error) return <p role="alert">{errorText(t, error)}</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard */}
      <ul className="share-files" tabIndex={0} aria-busy={!data} style={{ minBlockSize: Math.min(boxHeight, fileCount * rowHeight) }}>
        {files?.slice(0, maxListed).map((file) => (
          <li key={file.id}>
            <bdi>{showInvisible(file.name)}</bdi>
            <span className="soft">{formatBytes(Number(file.size))}</span>
          </li>
        ))}
      </ul>
      {fileCount > maxListed && <p className="soft">{t('shares.moreFiles', { count: fileCount - maxListed })}</p>}
    </>
  )
}

/** Returns the files without unsaved changes. */
function publishedFiles({ files, removedFiles }: OwnerPage): SharedFile[] {
  const kept = files.filter(({ published }) => published).map(({ id, name, size, olderName }) => ({ id, name: olderName ?? name, size }))
  return [...kept, ...removedFiles]
}

/** Returns encrypted files with their real names and sizes, in the order of the document. */
function named(files: readonly SharedFile[], content: ShareContent): SharedFile[] {
  const stored = new Map(files.map(({ id, name }) => [name, id]))
  return content.files.flatMap(({ file, name, size }) => {
    const id = stored.get(file)
    return id === undefined ? [] : { id, name, size: String(size) }
  })
}
