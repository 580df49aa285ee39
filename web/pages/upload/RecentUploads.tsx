import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Icon } from '../../components/Icon.tsx'
import { RowButton } from '../../components/RowList.tsx'
import { ExpiresText } from '../../components/TimeText.tsx'
import { sharePath } from '../../lib/share-addresses.ts'
import { forgetUpload, type RecentUpload, recentUploads } from '../../lib/upload/recent-uploads.ts'
import { useCopy } from '../../lib/use-copy.ts'
import { start } from '../../start.ts'
import './recent-uploads.css'

/**
 * Lists the shares that a visitor without an account has uploaded in this browser. They can be
 * opened and edited here as long as the browser keeps the cookies of their creator.
 */
export function RecentUploads() {
  const { t } = useTranslation()
  const [uploads, setUploads] = useState(() => recentUploads())
  if (start.user || uploads.length === 0) return null
  const forget = (id: string) => {
    forgetUpload(id)
    setUploads(recentUploads())
  }
  return (
    <section className="card recent stack" aria-labelledby="recent-uploads">
      <h2 id="recent-uploads">{t('upload.recent')}</h2>
      <ul className="ruled">
        {uploads.map((upload) => (
          <RecentRow key={upload.id} upload={upload} onForget={() => forget(upload.id)} />
        ))}
      </ul>
      <p className="soft small">{t('upload.recentNote')}</p>
    </section>
  )
}

function RecentRow({ upload: { id, title, link, expiration }, onForget }: { upload: RecentUpload; onForget(): void }) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy(link)
  return (
    <li className="recent-row line">
      <span className="words lines">
        <Link href={sharePath(id)} className="quiet-link">
          <bdi>{title}</bdi>
        </Link>
        <span className="soft small">
          <ExpiresText expiration={expiration} />
        </span>
      </span>
      <RowButton icon={copied ? 'check' : 'copy'} title={t('common.copy')} label={t('upload.copyLinkOf', { title })} onClick={copy} />
      <span className="visually-hidden" role="status">
        {copied && t('common.copied')}
      </span>
      <Link
        href={`${sharePath(id)}/edit`}
        className="icon-button"
        title={t('shares.edit')}
        aria-label={t('shares.editOf', { name: title })}
      >
        <Icon name="pencil" />
      </Link>
      <RowButton icon="close" title={t('upload.forget')} label={t('upload.forgetOf', { title })} onClick={onForget} />
    </li>
  )
}
