import { useTranslation } from 'react-i18next'
import type { System } from '../../../../src/system/contract.ts'
import { formatBytes } from '../../../lib/format.ts'
import { Facts } from './Facts.tsx'

/** Shows how many bytes are stored, by purpose, and how many are free. */
export function StorageUse({ storage: { files, zips, uploading, free } }: Pick<System, 'storage'>) {
  const { t } = useTranslation()
  return (
    <section className="card system-card stack" aria-labelledby="storage-used">
      <h2 id="storage-used">{t('system.storageUsed')}</h2>
      <p className="system-total">
        <span>{formatBytes(files + zips)}</span>{' '}
        {free !== null && <span className="soft">{t('system.storageFree', { size: formatBytes(free) })}</span>}
      </p>
      <Facts
        facts={[
          [t('system.storageFiles'), formatBytes(files)],
          [t('system.storageZips'), formatBytes(zips)],
          [t('system.storageUploading'), formatBytes(uploading)],
        ]}
      />
      {free === null && <p className="soft small">{t('system.storageFreeUnknown')}</p>}
    </section>
  )
}
