import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { UploadSnapshot } from '../../../uploader/types.ts'
import type { Uploader } from '../../../uploader/uploader.ts'
import { signInPath } from '../../lib/access.ts'
import { address } from '../../lib/address.ts'
import { Icon } from '../Icon.tsx'
import { problemText } from './problem-text.ts'

interface Props {
  snapshot: UploadSnapshot
  uploader: Uploader
  /** Uploads the files to a new share; absent where the share is fixed. */
  onAnew?: () => void
}

/** Problems that a retry can't solve, because the share is no longer open for uploads. */
const lostShare = new Set(['share_not_found', 'share_removed', 'share_already_completed'])

/** Explains why an upload has stopped or which files failed, and offers the next steps. */
export function UploadNotice({ snapshot, uploader, onAnew }: Props) {
  const { t } = useTranslation()
  const { state, problem, files } = snapshot
  if (state === 'running' && snapshot.connection === 'lost') return <p className="soft">{t('upload.connectionHint')}</p>
  if (state === 'stopped' && problem) {
    return (
      <div className="notice notice-danger" role="alert">
        <Icon name="info" />
        <div>
          {problemText(t, problem)}
          <div className="actions">
            {problem.code === 'session_ended' && (
              <Button href={address(signInPath())} target="_blank">
                {t('upload.signInAgain')}
              </Button>
            )}
            {lostShare.has(problem.code) ? (
              onAnew && (
                <Button type="primary" onClick={onAnew}>
                  {t('upload.uploadAnew')}
                </Button>
              )
            ) : (
              <Button type="primary" onClick={() => uploader.start()}>
                {t(problem.code === 'session_ended' ? 'upload.resume' : 'common.retry')}
              </Button>
            )}
          </div>
        </div>
      </div>
    )
  }
  if (state !== 'incomplete') return null
  const failed = files.filter(({ status }) => status === 'failed')
  const others = files.length > failed.length
  return (
    <div className="notice notice-danger" role="alert">
      <Icon name="info" />
      <div>
        {t(failed.length === 0 ? 'upload.nothingLeft' : others ? 'upload.incompleteHint' : 'upload.incompleteOnly')}
        {failed.length > 0 && (
          <div className="actions">
            <Button type="primary" onClick={() => uploader.retry()}>
              {t('upload.retryAll')}
            </Button>
            {others && (
              <Button
                onClick={() => {
                  for (const { key } of failed) uploader.remove(key)
                }}
              >
                {t('upload.withoutFailed', { count: failed.length })}
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  )
}
