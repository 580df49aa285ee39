import { useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { formatBytes, formatTime } from '../../lib/format.ts'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { ownTitleOf } from '../../lib/share-title.ts'
import { useUploadProgress } from '../../lib/upload-progress.ts'
import { AskDialog } from '../AskDialog.tsx'
import { Icon } from '../Icon.tsx'
import { continueUpload, removeUnfinished, type Unfinished, unfinishedKey, useUnfinished } from './unfinished.ts'
import './files.css'

/** Lists the user's unfinished uploads, which can be continued on any device, or removed. */
export function UnfinishedUploads() {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const uploads = useUnfinished()
  const [removing, setRemoving] = useState<Unfinished | null>(null)
  const removed = useLast(removing)
  if (uploads.length === 0 && !removed) return null
  return (
    <section className="stack unfinished" aria-label={t('uploads.title')}>
      {uploads.map((upload) => (
        <UnfinishedUpload key={upload.id} upload={upload} onRemove={() => setRemoving(upload)} />
      ))}
      {removed && (
        <AskDialog
          open={removing !== null}
          title={t('uploads.removeTitle')}
          text={t('uploads.removeText', { name: titleOf(t, removed) })}
          ok={t('common.delete')}
          danger
          action={() => removeUnfinished(removed)}
          onDone={() => {
            setRemoving(null)
            notify.success(t('uploads.removed'))
            void queries.invalidateQueries({ queryKey: unfinishedKey })
          }}
          onError={notify.error}
          onClose={() => setRemoving(null)}
        />
      )}
    </section>
  )
}

function UnfinishedUpload({ upload, onRemove }: { upload: Unfinished; onRemove(): void }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const [, navigate] = useLocation()
  const here = useUploadProgress() // another upload must not replace the one that runs in this tab
  const [opening, setOpening] = useState(false)
  const { running, uploaded, size, completedFiles, fileCount, keptUntil } = upload
  const name = titleOf(t, upload)
  const open = () => {
    setOpening(true)
    continueUpload(upload)
      .then(() => navigate('/upload'), notify.error)
      .finally(() => setOpening(false))
  }
  const facts = [
    t('upload.bytesOf', { sent: formatBytes(uploaded), total: formatBytes(size) }),
    t('upload.filesOf', { done: completedFiles, count: fileCount }),
    running ? t('uploads.running') : t('uploads.keptUntil', { time: formatTime(keptUntil) }),
  ]
  return (
    <article className="notice resume" aria-label={name}>
      <Icon name="clock" />
      <div>
        <strong>
          {t(running ? 'uploads.titleRunning' : 'uploads.titleOne')} <bdi>{name}</bdi>
        </strong>
        <p className="facts">
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
      </div>
      {running && here && (
        <Link href={here.path} asChild>
          <Button>{t('uploads.show')}</Button>
        </Link>
      )}
      {!running && (
        <>
          <Button type="primary" loading={opening} disabled={here !== null} aria-label={t('uploads.continueOf', { name })} onClick={open}>
            {t('upload.resume')}
          </Button>
          <Button aria-label={t('uploads.removeOf', { name })} onClick={onRemove}>
            {t('common.delete')}
          </Button>
        </>
      )}
    </article>
  )
}

function titleOf(t: TFunction, { names, encrypted, ...share }: Unfinished): string {
  return ownTitleOf({ ...share, firstFile: names[0] ?? null, encrypted: encrypted && names.length === 0 }, t)
}
