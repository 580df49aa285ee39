import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { StartShare } from '../../../src/downloads/contract.ts'
import { showInvisible } from '../../../src/invisible-characters.ts'
import { Icon } from '../../components/Icon.tsx'
import { LinkedText } from '../../components/LinkedText.tsx'
import { Razorbill } from '../../components/Razorbill.tsx'
import { ShareProblem } from '../../components/ShareProblem.tsx'
import { ExpirationText } from '../../components/TimeText.tsx'
import { address } from '../../lib/address.ts'
import { formatBytes, isNever } from '../../lib/format.ts'
import { useHydrated } from '../../lib/hydration.tsx'
import { useLast } from '../../lib/last.ts'
import { useOwnId } from '../../lib/own-shares.ts'
import { editPath, fileAddress, previewPath, shareLink } from '../../lib/share-addresses.ts'
import { titleOf } from '../../lib/share-title.ts'
import { DownloadAll, ZipLink } from './DownloadAll.tsx'
import { FileList } from './FileList.tsx'
import { TextShare } from './TextShare.tsx'
import { useLimitedDownloads } from './use-limited-downloads.ts'

const LinkDialog = lazy(async () => ({ default: (await import('../../components/LinkDialog.tsx')).LinkDialog }))

const OwnerPanel = lazy(async () => ({ default: (await import('../../components/OwnerPanel.tsx')).OwnerPanel }))

/** What the dialog with a link shows. */
interface ShownLink {
  title: string
  link: string
  note?: string
}

interface Props {
  share: StartShare
  /** Shown only to the owner. */
  forOwner?: ReactNode
}

/** Shows a share: its description, the download of everything, and its files. */
export function ShareView({ share, forOwner }: Props) {
  const { t } = useTranslation()
  const hydrated = useHydrated()
  const ownId = useOwnId(share)
  const [shownLink, setShownLink] = useState<ShownLink | null>(null)
  const lastLink = useLast(shownLink)
  const title = titleOf(share, t)
  const [only] = share.files
  const count = share.overview?.fileCount ?? share.files.length
  const link = () => shareLink(share.id)
  const showFileLink = (fileId: string, name: string) =>
    setShownLink({
      title: showInvisible(name),
      link: location.origin + address(previewPath(share.id, fileId)),
      note: share.hasPassword ? t('share.fileLinkNeedsPassword') : undefined,
    })
  const limited = useLimitedDownloads(share)
  if (limited.refusal) return <ShareProblem id={share.id} error={limited.refusal} onRetry={limited.clearRefusal} />
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the links in it have keys
    <article className="wide stack" onClick={limited.handleClick}>
      <header className="share-head card">
        <div className="share-words stack">
          <h1 className="own-words">{title}</h1>
          <p className="facts soft">
            {share.kind === 'files' && <span>{t('share.files', { count })}</span>}
            <span suppressHydrationWarning>{formatBytes(share.size)}</span>
            {share.name && share.creator && <span>{t('share.by', { name: share.creator.username })}</span>}
            {share.encrypted && <span>{t('encrypted.fact')}</span>}
            {!isNever(share.expiration) && (
              <span>
                {t('share.expires')} <ExpirationText expiration={share.expiration} relative />
              </span>
            )}
          </p>
          {share.description && <LinkedText text={share.description} className="share-description" />}
          {share.downloadsLeft !== undefined && (
            <p className="soft">
              {share.downloadsLeft === 0 ? t('share.noDownloadsLeft') : t('share.downloadsLeft', { count: share.downloadsLeft })}
            </p>
          )}
          {hydrated && <p className="print-only">{link()}</p>}
          <div className="actions">
            {count > 1 && (share.encrypted ? <ZipLink id={share.id} /> : <DownloadAll id={share.id} />)}
            {count === 1 && only && (
              <a
                className={share.kind === 'text' ? 'button button-large' : 'button button-large button-primary'}
                href={fileAddress(share.id, only.id)}
                download
              >
                <Icon name="download" />
                {t('share.download')}
              </a>
            )}
            <button
              type="button"
              className="button button-large"
              disabled={!hydrated}
              onClick={() => setShownLink({ title: t('share.link'), link: link() })}
            >
              <Icon name="link" />
              {t('share.showLink')}
            </button>
            {ownId !== null && (
              <Link href={editPath(ownId)} className="button button-large">
                <Icon name="pencil" />
                {t('shares.edit')}
              </Link>
            )}
          </div>
        </div>
        <Razorbill className="share-picture" files={Math.min(count, 4)} />
      </header>
      {share.kind === 'text' && count === 1 && only ? (
        <TextShare shareId={share.id} file={only} />
      ) : (
        <FileList share={share} onShowLink={showFileLink} />
      )}
      {ownId !== null && forOwner}
      <Suspense>{hydrated && ownId !== null && <OwnerPanel share={{ ...share, id: ownId }} />}</Suspense>
      <Suspense>{lastLink && <LinkDialog open={shownLink !== null} {...lastLink} onClose={() => setShownLink(null)} />}</Suspense>
    </article>
  )
}
