import { useState } from 'react'
import type { FileSource } from '../../upload/types.ts'
import { ChosenFiles } from './ChosenFiles.tsx'
import { CreateShareDialog } from './CreateShareDialog.tsx'
import { Dropzone } from './Dropzone.tsx'
import { ResumeBanner } from './ResumeBanner.tsx'
import { choose, type PickedFile, resumeWith } from './session.ts'
import { useIncomingFiles } from './use-incoming-files.ts'
import { useInterrupted } from './use-interrupted.ts'

/** Files are collected here; nothing is sent yet. */
export function ChoosingView({ files }: { files: readonly PickedFile[] }) {
  const [creating, setCreating] = useState(false)
  const { interrupted, forget } = useInterrupted()
  const take = (sources: FileSource[]) => {
    const resumed = files.length === 0 && interrupted.some((upload) => resumeWith(upload, sources) > 0)
    if (!resumed && sources.length > 0) choose(sources)
  }
  const over = useIncomingFiles(!creating, take)
  return (
    <div className="upload">
      {files.length === 0 && interrupted.map((upload) => <ResumeBanner key={upload.share.id} upload={upload} onDiscarded={forget} />)}
      {files.length === 0 ? (
        <Dropzone over={over} onFiles={take} />
      ) : (
        <ChosenFiles files={files} over={over} onFiles={take} onContinue={() => setCreating(true)} />
      )}
      <CreateShareDialog open={creating} files={files} onClose={() => setCreating(false)} />
    </div>
  )
}
