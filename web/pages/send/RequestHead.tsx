import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import type { IconName } from '../../components/icon-paths.ts'
import { typesText } from '../../lib/allowed-types.ts'
import { formatTime, isNever } from '../../lib/format.ts'
import { start } from '../../start.ts'

/** Shows who asks for files, the name of the request, and its limits. */
export function RequestHead({ request }: { request: OpenReverseShare }) {
  const { t } = useTranslation()
  const { name, creator } = request
  return (
    <header className="request stack">
      <h1>{name ? showInvisible(name) : t('send.to', { name: creator.username })}</h1>
      <p className="soft">
        {name && t('send.asks', { name: creator.username })} {!start.user && t('send.noAccount')}
      </p>
      <ul className="request-facts small toolbar" aria-label={t('send.limits')}>
        {factsOf(t, request).map(({ icon, text }) => (
          <li key={icon}>
            <Icon name={icon} size={16} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </header>
  )
}

function factsOf(t: TFunction, request: OpenReverseShare): { icon: IconName; text: string }[] {
  const { creator, remainingUses, shareExpiration, allowedTypes, publicAccess } = request
  return [
    ...(remainingUses === null ? [] : [{ icon: 'refresh' as const, text: t('send.usesLeft', { count: remainingUses }) }]),
    ...(isNever(shareExpiration) ? [] : [{ icon: 'clock' as const, text: t('send.until', { time: formatTime(shareExpiration) }) }]),
    ...(allowedTypes.length === 0 ? [] : [{ icon: 'file' as const, text: t('send.types', { types: typesText(t, allowedTypes) }) }]),
    ...(publicAccess ? [] : [{ icon: 'lock' as const, text: t('send.private', { name: creator.username }) }]),
  ]
}
