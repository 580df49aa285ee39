import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ShareActivity } from './activity/ShareActivity.tsx'
import { linksOf } from './links/queries.ts'
import { ShareLinks } from './links/ShareLinks.tsx'

/**
 * Shows the owner of a share its links, and who opened and downloaded it. Shows nothing to others,
 * such as the sender of a received share: only the server knows who received it.
 */
export function OwnerPanel({ shareId, encrypted }: { shareId: string; encrypted: boolean }) {
  const { t } = useTranslation()
  const links = useQuery(linksOf(shareId))
  if (!links.data) return null
  return (
    <>
      <section className="card stack" aria-labelledby="share-links">
        <div>
          <h2 id="share-links">{t('links.title')}</h2>
          <p className="soft">{t('links.text')}</p>
        </div>
        <ShareLinks shareId={shareId} encrypted={encrypted} />
      </section>
      <section className="card stack" aria-labelledby="share-activity">
        <h2 id="share-activity">{t('activity.title')}</h2>
        <ShareActivity shareId={shareId} />
      </section>
    </>
  )
}
