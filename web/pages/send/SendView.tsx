import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import type { InterruptedUpload } from '../../../uploader/journal.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { ChosenFiles } from '../../components/files/ChosenFiles.tsx'
import { Dropzone } from '../../components/files/Dropzone.tsx'
import { ResumeBanner } from '../../components/files/ResumeBanner.tsx'
import type { PickedFile } from '../../components/files/upload-session.ts'
import { useChoose } from '../../components/files/use-files.ts'
import { useIncomingFiles } from '../../components/files/use-incoming-files.ts'
import { useResume } from '../../components/files/use-interrupted.ts'
import { Icon } from '../../components/Icon.tsx'
import { acceptOf, splitByType, typesText } from '../../lib/allowed-types.ts'
import { RequestHead } from './RequestHead.tsx'
import { SendDialog } from './SendDialog.tsx'
import { SimpleSend } from './SimpleSend.tsx'

interface Props {
  request: OpenReverseShare
  files: readonly PickedFile[]
  interrupted: InterruptedUpload[]
  onDiscarded(): void
}

/** The stage in which a sender chooses files for the owner of a link. Nothing is uploaded yet. */
export function SendView({ request, files, interrupted, onDiscarded }: Props) {
  const { t } = useTranslation()
  const { token, simplified, allowedTypes } = request
  const [creating, setCreating] = useState(false)
  const [refused, setRefused] = useState<FileSource[]>([])
  const resume = useResume(interrupted)
  const choose = useChoose()
  const addFiles = (sources: FileSource[]) => {
    if (files.length === 0 && resume(sources)) return
    const sorted = splitByType(sources, allowedTypes)
    setRefused(sorted.refused)
    if (sorted.accepted.length > 0) choose(sorted.accepted, token)
  }
  const over = useIncomingFiles(!creating, addFiles)
  const common = { over, heading: 'h2', maxSize: Number(request.maxShareSize), accept: acceptOf(allowedTypes), onFiles: addFiles } as const
  return (
    <div className="narrow stack">
      <RequestHead request={request} />
      {files.length === 0 && interrupted.map((upload) => <ResumeBanner key={upload.share.id} upload={upload} onDiscarded={onDiscarded} />)}
      {refused.length > 0 && <RefusedFiles files={refused} allowed={allowedTypes} />}
      {files.length === 0 ? (
        <Dropzone {...common} />
      ) : simplified ? (
        <SimpleSend {...common} request={request} files={files} />
      ) : (
        <ChosenFiles {...common} files={files} next={t('send.continue')} onContinue={() => setCreating(true)} />
      )}
      {!simplified && <SendDialog open={creating} request={request} files={files} onClose={() => setCreating(false)} />}
    </div>
  )
}

function RefusedFiles({ files, allowed }: { files: FileSource[]; allowed: string[] }) {
  const { t } = useTranslation()
  const [first] = files
  if (!first) return null
  return (
    <div className="notice" role="alert">
      <Icon name="info" />
      <div>{t('send.leftOut', { count: files.length, name: showInvisible(first.name), types: typesText(t, allowed) })}</div>
    </div>
  )
}
