import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { settings } from '../../start.ts'
import type { FileSource } from '../../upload/types.ts'
import { ChosenFiles } from './ChosenFiles.tsx'
import { CreateShareDialog } from './CreateShareDialog.tsx'
import { Dropzone } from './Dropzone.tsx'
import { ResumeBanner } from './ResumeBanner.tsx'
import { choose, type PickedFile, resumeWith } from './session.ts'
import { useIncomingFiles } from './use-incoming-files.ts'
import { useInterrupted } from './use-interrupted.ts'
import { useReceivedFiles } from './use-received-files.ts'

/** Files are collected here; nothing is sent yet. */
export function ChoosingView({ files }: { files: readonly PickedFile[] }) {
  const { t } = useTranslation()
  const maxSize = settings['share.maxSize']
  const [creating, setCreating] = useState(false)
  const { interrupted, forget } = useInterrupted(null)
  const take = (sources: FileSource[]) => {
    const resumed = files.length === 0 && interrupted.some((upload) => resumeWith(upload, sources) > 0)
    if (!resumed && sources.length > 0) choose(sources, null)
  }
  const over = useIncomingFiles(!creating, take)
  useReceivedFiles(take)
  return (
    <div className="upload">
      {files.length === 0 && interrupted.map((upload) => <ResumeBanner key={upload.share.id} upload={upload} onDiscarded={forget} />)}
      {files.length === 0 ? (
        <Dropzone over={over} maxSize={maxSize} onFiles={take} />
      ) : (
        <ChosenFiles
          files={files}
          over={over}
          maxSize={maxSize}
          next={t('upload.continue')}
          onFiles={take}
          onContinue={() => setCreating(true)}
        />
      )}
      <CreateShareDialog open={creating} files={files} onClose={() => setCreating(false)} />
    </div>
  )
}
