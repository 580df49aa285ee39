import { useTranslation } from 'react-i18next'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { formatNumber } from '../../lib/format.ts'

/**
 * Shows the visits of a share through all its links, with the limit of the first one if only that was
 * used.
 */
export function Visits({ share: { views, totalViews, security } }: { share: OwnShare }) {
  const { t } = useTranslation()
  const { maxViews } = security
  if (maxViews === null || totalViews > views) return formatNumber(totalViews)
  return t('shares.viewsOf', { views: formatNumber(views), max: formatNumber(maxViews) })
}
