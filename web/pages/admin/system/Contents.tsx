import { useTranslation } from 'react-i18next'
import type { System } from '../../../../src/system/contract.ts'
import { formatNumber } from '../../../lib/format.ts'
import { Facts } from './Facts.tsx'

/** Shows the numbers of shares, files, uploads and users. */
export function Contents({ counts: { shares, files, openUploads, users } }: Pick<System, 'counts'>) {
  const { t } = useTranslation()
  return (
    <section className="card system-card stack" aria-labelledby="contents">
      <h2 id="contents">{t('system.contents')}</h2>
      <Facts
        facts={[
          [t('system.shares'), formatNumber(shares)],
          [t('system.files'), formatNumber(files)],
          [t('system.openUploads'), formatNumber(openUploads)],
          [t('system.users'), formatNumber(users)],
        ]}
      />
    </section>
  )
}
