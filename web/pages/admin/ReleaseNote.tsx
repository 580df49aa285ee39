import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Release } from '../../../src/system/contract.ts'
import { api } from '../../api.ts'
import { Razorbill } from '../../components/Razorbill.tsx'

/** Shows the running version and whether there is a newer one. */
export function ReleaseNote() {
  const { t } = useTranslation()
  const { data: release } = useQuery({ queryKey: ['release'], queryFn: () => api('GET /api/system/release'), retry: false })
  return (
    <div className="release line" role="status">
      {release && (
        <>
          <Razorbill className="release-picture" files={release.isNewer ? 2 : 0} />
          <p>
            <strong>{t('admin.release.version', { name: 'Razorbill', version: release.version })}</strong>
            <span className={release.isNewer ? undefined : 'soft'}>
              {releaseText(t, release)}{' '}
              {release.isNewer && release.url && (
                <a href={release.url} target="_blank" rel="noreferrer">
                  {t('admin.release.notes')}
                </a>
              )}
            </span>
          </p>
        </>
      )}
    </div>
  )
}

/** Returns no text if the check for updates is turned off. */
function releaseText(t: TFunction, { isNewer, newest, checks }: Release): string {
  if (isNewer) return t('admin.release.newer', { version: newest })
  if (!checks) return ''
  return newest === null ? t('admin.release.unknown') : t('admin.release.current')
}
