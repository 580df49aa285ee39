import { useTranslation } from 'react-i18next'
import { formatDistance, formatTime, formatTimeFully, isNever } from '../lib/format.ts'
import { useHydrated } from '../lib/hydration.tsx'

/** A moment in the reader's zone, which its title names; with `relative`, how far away it is. */
export function TimeText({ iso, relative = false }: { iso: string; relative?: boolean }) {
  const hydrated = useHydrated() // the server does not know the zone
  return (
    <time dateTime={iso} title={hydrated ? formatTimeFully(iso) : undefined} suppressHydrationWarning>
      {relative ? formatDistance(iso) : formatTime(iso)}
    </time>
  )
}

/** When a share ends: a moment, or never. */
export function ExpirationText({ expiration, relative }: { expiration: string; relative?: boolean }) {
  const { t } = useTranslation()
  return isNever(expiration) ? <span>{t('common.never')}</span> : <TimeText iso={expiration} relative={relative} />
}
