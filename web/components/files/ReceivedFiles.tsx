import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { Icon } from '../Icon.tsx'

const namedFiles = 3

interface Props {
  files: readonly FileSource[]
  onAdd(): void
  onDiscard(): void
}

/**
 * Asks whether to add files that another app or website has sent to this page. Nothing is uploaded
 * before the user agrees.
 */
export function ReceivedFiles({ files, onAdd, onDiscard }: Props) {
  const { t } = useTranslation()
  const title = t('upload.receivedTitle', { count: files.length })
  const size = files.reduce((sum, file) => sum + file.size, 0)
  return (
    <aside className="notice resume" aria-label={title}>
      <Icon name="download" />
      <div>
        <strong>{title}</strong>
        <p>
          {files
            .slice(0, namedFiles)
            .map(({ name }) => showInvisible(name))
            .join(', ')}
          {files.length > namedFiles && ` ${t('upload.andMore', { count: files.length - namedFiles })}`}
          {` · ${formatBytes(size)}`}
        </p>
        <p>{t('upload.receivedText')}</p>
      </div>
      <Button type="primary" onClick={onAdd}>
        {t('upload.receivedAdd')}
      </Button>
      <Button onClick={onDiscard}>{t('upload.discard')}</Button>
    </aside>
  )
}
