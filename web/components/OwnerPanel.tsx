import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ShareActivity } from './activity/ShareActivity.tsx'
import { linksOf } from './links/queries.ts'
import { ShareLinks } from './links/ShareLinks.tsx'
import { useRecipients } from './recipients/queries.ts'
import type { AddressedShare } from './recipients/RecipientRow.tsx'
import { Recipients } from './recipients/Recipients.tsx'

/**
 * Shows the owner of a share its recipients and links, and who opened and downloaded it. Shows
 * nothing to others, such as the sender of a received share: only the server knows who received it.
 */
export function OwnerPanel({ share }: { share: AddressedShare }) {
  const { t } = useTranslation()
  const links = useQuery(linksOf(share.id))
  if (!links.data) return null
  return (
    <>
      <RecipientsPanel share={share} />
      <section className="card stack" aria-labelledby="share-links">
        <div>
          <h2 id="share-links">{t('links.title')}</h2>
          <p className="soft">{t('links.text')}</p>
        </div>
        <ShareLinks shareId={share.id} encrypted={share.encrypted} />
      </section>
      <section className="card stack" aria-labelledby="share-activity">
        <h2 id="share-activity">{t('activity.title')}</h2>
        <ShareActivity share={share} />
      </section>
    </>
  )
}

function RecipientsPanel({ share }: { share: AddressedShare }) {
  const { t } = useTranslation()
  const { recipients, shown } = useRecipients(share.id)
  if (!shown) return null
  return (
    <section className="card stack" aria-labelledby="share-recipients">
      <h2 id="share-recipients">{t('shares.recipients')}</h2>
      <Recipients share={share} editing={recipients.data?.some(({ state }) => state === 'waiting') ?? false} />
    </section>
  )
}
