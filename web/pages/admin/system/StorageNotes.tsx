import { useTranslation } from 'react-i18next'
import type { System } from '../../../../src/system/contract.ts'
import { Icon } from '../../../components/Icon.tsx'

/** Shows what limits a store that works, and whether browsers use it directly. */
export function StorageNotes({ storageWarnings, direct }: Pick<System, 'storageWarnings' | 'direct'>) {
  const { t } = useTranslation()
  return (
    <>
      {storageWarnings.map(({ code, minutes }) => (
        <p key={code} className="notice">
          <Icon name="info" size={20} />
          {t(`system.storage.${code}`, { minutes })}
        </p>
      ))}
      {direct && (
        <div className="soft">
          <p>{t(direct.isOn ? 'system.direct.on' : 'system.direct.off')}</p>
          {direct.reason && <samp dir="auto">{direct.reason}</samp>}
        </div>
      )}
    </>
  )
}
