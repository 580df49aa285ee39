import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { ChosenFiles } from '../../components/files/ChosenFiles.tsx'
import { Dropzone } from '../../components/files/Dropzone.tsx'
import { ReceivedFiles } from '../../components/files/ReceivedFiles.tsx'
import { ResumeBanner } from '../../components/files/ResumeBanner.tsx'
import type { PickedFile } from '../../components/files/upload-session.ts'
import { useChoose } from '../../components/files/use-files.ts'
import { useIncomingFiles } from '../../components/files/use-incoming-files.ts'
import { useInterrupted, useResume } from '../../components/files/use-interrupted.ts'
import { VerifyEmailNotice } from '../../components/VerifyEmailNotice.tsx'
import { settings } from '../../start.ts'
import { useReceivedFiles } from './use-received-files.ts'

// brings antd's form fields, so it is loaded when the first file was chosen
const CreateShareDialog = lazy(async () => ({ default: (await import('./CreateShareDialog.tsx')).CreateShareDialog }))

/** The stage in which the user chooses files. Nothing is uploaded yet. */
export function ChoosingView({ files }: { files: readonly PickedFile[] }) {
  const { t } = useTranslation()
  const maxSize = settings['share.maxSize']
  const [creating, setCreating] = useState(false)
  const { interrupted, forget } = useInterrupted(null)
  const resume = useResume(interrupted)
  const choose = useChoose()
  const addFiles = (sources: readonly FileSource[]) => {
    if (files.length === 0 && resume(sources)) return
    choose(sources, null)
  }
  const over = useIncomingFiles(!creating, addFiles)
  const [received, forgetReceived] = useReceivedFiles()
  const addReceived = () => {
    addFiles(received)
    forgetReceived()
  }
  return (
    <div className="narrow stack">
      <VerifyEmailNotice />
      {received.length > 0 && <ReceivedFiles files={received} onAdd={addReceived} onDiscard={forgetReceived} />}
      {files.length === 0 && interrupted.map((upload) => <ResumeBanner key={upload.share.id} upload={upload} onDiscarded={forget} />)}
      {files.length === 0 ? (
        <Dropzone over={over} maxSize={maxSize} onFiles={addFiles} />
      ) : (
        <ChosenFiles
          files={files}
          over={over}
          maxSize={maxSize}
          next={t('upload.continue')}
          onFiles={addFiles}
          onContinue={() => setCreating(true)}
        />
      )}
      {files.length > 0 && (
        <Suspense fallback={null}>
          <CreateShareDialog open={creating} files={files} onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </div>
  )
}
