import { useTranslation } from 'react-i18next'
import { formatDistance, formatExpiration, formatTime, formatTimeFully, isNever } from '../lib/format.ts'
import { useHydrated } from '../lib/hydration.tsx'

/**
 * Shows a time in the reader's time zone, or with `relative` its distance from now. A tooltip has
 * the full time, on focus too where the distance is all that is shown.
 */
export function TimeText({ iso, relative = false }: { iso: string; relative?: boolean }) {
  const hydrated = useHydrated() // the server does not know the time zone
  return (
    <time
      className={relative ? 'relative-time' : undefined}
      dateTime={iso}
      title={hydrated ? formatTimeFully(iso) : undefined}
      tabIndex={relative ? 0 : undefined}
      suppressHydrationWarning
    >
      {relative ? formatDistance(iso) : formatTime(iso)}
    </time>
  )
}

/** Shows when a share expires, or that it never does. */
export function ExpirationText({ expiration, relative }: { expiration: string; relative?: boolean }) {
  const { t } = useTranslation()
  return isNever(expiration) ? <span>{t('common.never')}</span> : <TimeText iso={expiration} relative={relative} />
}

/** Shows that a share has expired, and when it will be deleted. */
export function KeptText({ until }: { until: string }) {
  const { t } = useTranslation()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: shows the tooltip on focus
    <time className="relative-time" dateTime={until} title={formatTimeFully(until)} tabIndex={0}>
      {t('shares.keptUntil', { time: formatDistance(until) })}
    </time>
  )
}

/**
 * Shows when a share expires, in one line: `Expires Sat, Dec 5, 9:12 PM`, with the time zone in a
 * tooltip. `expiration` is null for a share that never expires.
 */
export function ExpiresText({ expiration }: { expiration: string | null }) {
  const { t } = useTranslation()
  if (expiration === null || isNever(expiration)) return <span>{t('upload.staysForever')}</span>
  return (
    <time dateTime={expiration} title={formatTimeFully(expiration)}>
      {t('upload.expiresAt', { time: formatExpiration(expiration) })}
    </time>
  )
}
