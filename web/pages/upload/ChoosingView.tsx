import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { ChosenFiles, isTooLarge } from '../../components/files/ChosenFiles.tsx'
import { useIsCreating } from '../../components/files/create-share.ts'
import { Dropzone } from '../../components/files/Dropzone.tsx'
import { ReceivedFiles } from '../../components/files/ReceivedFiles.tsx'
import { ResumeBanner } from '../../components/files/ResumeBanner.tsx'
import type { PickedFile } from '../../components/files/upload-session.ts'
import { useChoose } from '../../components/files/use-files.ts'
import { useIncomingFiles } from '../../components/files/use-incoming-files.ts'
import { useInterrupted, useResume } from '../../components/files/use-interrupted.ts'
import { Icon } from '../../components/Icon.tsx'
import { SendScreen } from '../../components/share-form/SendScreen.tsx'
import { VerifyEmailNotice } from '../../components/VerifyEmailNotice.tsx'
import { settings } from '../../start.ts'
import { NewShareForm } from './lazy-form.ts'
import { RecentUploads } from './RecentUploads.tsx'
import { TextView } from './TextView.tsx'
import { useReceivedFiles } from './use-received-files.ts'
import { useTextDraft } from './use-text-draft.ts'

/** The stage in which the user chooses files. Nothing is uploaded yet. */
export function ChoosingView({ files }: { files: readonly PickedFile[] }) {
  const { t } = useTranslation()
  const maxSize = settings['share.maxSize']
  const { interrupted, forget } = useInterrupted(null)
  const resume = useResume(interrupted)
  const choose = useChoose()
  const creating = useIsCreating()
  const addFiles = async (sources: readonly FileSource[]) => {
    if (files.length === 0 && (await resume(sources))) return
    choose(sources, null)
  }
  const over = useIncomingFiles(!creating, addFiles)
  const [received, forgetReceived] = useReceivedFiles()
  const addReceived = () => {
    void addFiles(received)
    forgetReceived()
  }
  const isEmpty = files.length === 0
  const [text, setText] = useTextDraft(isEmpty)
  if (isEmpty && text !== null) return <TextView text={text} onChange={setText} />
  return (
    <div className={isEmpty ? 'narrow stack' : 'stack'}>
      <VerifyEmailNotice />
      {received.length > 0 && !creating && <ReceivedFiles files={received} onAdd={addReceived} onDiscard={forgetReceived} />}
      {isEmpty && interrupted.map((upload) => <ResumeBanner key={upload.share.id} upload={upload} onDiscarded={forget} />)}
      {isEmpty ? (
        <Dropzone over={over} maxSize={maxSize} onFiles={addFiles}>
          <Button type="link" icon={<Icon name="text" size={18} />} onClick={() => setText('')}>
            {t('upload.writeText')}
          </Button>
        </Dropzone>
      ) : (
        <SendScreen content={<ChosenFiles files={files} over={over} maxSize={maxSize} onFiles={addFiles} />}>
          <NewShareForm sources={() => files.map(({ source }) => source)} disabled={isTooLarge(files, maxSize)} />
        </SendScreen>
      )}
      {isEmpty && <RecentUploads />}
    </div>
  )
}
