import { useTranslation } from 'react-i18next'
import type { System } from '../../../../src/system/contract.ts'
import { formatBytes, formatNumber } from '../../../format.ts'

/** What is stored, in bytes and in numbers. */
export function StorageUse({ storage, counts }: Pick<System, 'storage' | 'counts'>) {
  const { t } = useTranslation()
  const facts: [label: string, value: string][] = [
    ['storageFiles', formatBytes(storage.files)],
    ['storageZips', formatBytes(storage.zips)],
    ['storageUploading', formatBytes(storage.uploading)],
    ['openUploads', formatNumber(counts.openUploads)],
    ['shares', formatNumber(counts.shares)],
    ['files', formatNumber(counts.files)],
    ['users', formatNumber(counts.users)],
  ]
  return (
    <section className="card system-card" aria-labelledby="storage-used">
      <h2 id="storage-used">{t('system.storageUsed')}</h2>
      <p className="system-total">{formatBytes(storage.files + storage.zips + storage.uploading)}</p>
      <dl className="system-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt className="soft">{t(`system.${label}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
