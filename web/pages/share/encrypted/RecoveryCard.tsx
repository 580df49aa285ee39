import { useTranslation } from 'react-i18next'
import type { SharePage } from '../../../../src/shares/contract.ts'
import { RecoveryText } from '../../../components/encrypted/RecoveryText.tsx'
import { shareLink } from '../../../lib/share-addresses.ts'

/** Offers the owner of a share a text with its whole link to keep. */
export function RecoveryCard({ share }: { share: SharePage }) {
  const { t } = useTranslation()
  return (
    <section className="card stack" aria-labelledby="recovery">
      <div>
        <h2 id="recovery">{t('recovery.cardTitle')}</h2>
        <p className="soft">{t('recovery.cardText')}</p>
      </div>
      <div className="actions">
        <RecoveryText share={{ ...share, link: shareLink(share.id) }} />
      </div>
    </section>
  )
}
