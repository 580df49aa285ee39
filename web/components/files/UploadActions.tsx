import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Uploader } from '../../../uploader/uploader.ts'
import { NotifyButton } from './NotifyButton.tsx'

interface Props {
  uploader: Uploader
  state: ReturnType<Uploader['getSnapshot']>['state']
  onCancel(): void
}

/** Buttons that pause, resume and cancel an upload. */
export function UploadActions({ uploader, state, onCancel }: Props) {
  const { t } = useTranslation()
  return (
    <div className="actions">
      {state === 'running' && <Button onClick={() => uploader.pause()}>{t('upload.pause')}</Button>}
      {(state === 'pausing' || state === 'paused') && (
        <Button type="primary" onClick={() => uploader.start()}>
          {t('upload.resume')}
        </Button>
      )}
      <Button
        type="text"
        danger
        disabled={state === 'completed' || state === 'cancelled'}
        loading={state === 'cancelling'}
        onClick={onCancel}
      >
        {t('upload.cancel')}
      </Button>
      {state !== 'completed' && state !== 'cancelled' && <NotifyButton />}
    </div>
  )
}
