import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import type { InterruptedUpload } from '../../../uploader/journal.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { ChosenFiles, isTooLarge } from '../../components/files/ChosenFiles.tsx'
import { useIsCreating } from '../../components/files/create-share.ts'
import { Dropzone } from '../../components/files/Dropzone.tsx'
import { ResumeBanner } from '../../components/files/ResumeBanner.tsx'
import type { PickedFile } from '../../components/files/upload-session.ts'
import { useChoose } from '../../components/files/use-files.ts'
import { useIncomingFiles } from '../../components/files/use-incoming-files.ts'
import { useResume } from '../../components/files/use-interrupted.ts'
import { Icon } from '../../components/Icon.tsx'
import { SendScreen } from '../../components/share-form/SendScreen.tsx'
import { acceptOf, splitByType, typesText } from '../../lib/allowed-types.ts'
import { RequestHead } from './RequestHead.tsx'
import { SenderForm } from './SenderForm.tsx'

interface Props {
  request: OpenReverseShare
  files: readonly PickedFile[]
  interrupted: InterruptedUpload[]
  onDiscarded(): void
}

/** The stage in which a sender chooses files for the owner of a link. Nothing is uploaded yet. */
export function SendView({ request, files, interrupted, onDiscarded }: Props) {
  const { t } = useTranslation()
  const { token, allowedTypes } = request
  const [refused, setRefused] = useState<FileSource[]>([])
  const resume = useResume(interrupted)
  const choose = useChoose()
  const creating = useIsCreating()
  const addFiles = async (sources: FileSource[]) => {
    if (files.length === 0 && (await resume(sources))) return
    const sorted = splitByType(sources, allowedTypes)
    setRefused(sorted.refused)
    if (sorted.accepted.length > 0) choose(sorted.accepted, token)
  }
  const over = useIncomingFiles(!creating, addFiles)
  const maxSize = Number(request.maxShareSize)
  const common = { over, heading: 'h2', maxSize, accept: acceptOf(allowedTypes), onFiles: addFiles } as const
  const isEmpty = files.length === 0
  return (
    <div className={isEmpty ? 'narrow stack' : 'stack'}>
      <RequestHead request={request} />
      {isEmpty && interrupted.map((upload) => <ResumeBanner key={upload.share.id} upload={upload} onDiscarded={onDiscarded} />)}
      {refused.length > 0 && <RefusedFiles files={refused} allowed={allowedTypes} />}
      {isEmpty ? (
        <Dropzone {...common} touchTitle={t('send.choose')} />
      ) : (
        <SendScreen content={<ChosenFiles {...common} files={files} />}>
          <SenderForm request={request} files={files} disabled={isTooLarge(files, maxSize)} />
        </SendScreen>
      )}
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
