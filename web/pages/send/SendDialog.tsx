import { useTranslation } from 'react-i18next'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import { useSend } from '../../components/files/request.ts'
import type { PickedFile } from '../../components/files/upload-session.ts'
import { LinkFields, randomLink } from '../../components/share-form/LinkFields.tsx'
import { ShareDialog, type ShareFields, shareOf } from '../../components/share-form/ShareDialog.tsx'
import { SecurityFields, WordsFields } from '../../components/share-form/ShareFields.tsx'
import { SenderFields, type SenderWords, senderOf } from './SenderFields.tsx'

interface Fields extends ShareFields, SenderWords {}

interface Props {
  open: boolean
  request: OpenReverseShare
  files: readonly PickedFile[]
  onClose(): void
}

/** Asks who sends and what their share is to be like, makes it, and starts the upload. When it expires is the link's. */
export function SendDialog({ open, request, files, onClose }: Props) {
  const { t } = useTranslation()
  const send = useSend(request, files)
  return (
    <ShareDialog<Fields>
      open={open}
      title={t('send.to', { name: request.creator.username })}
      ok={t('send.send')}
      initial={() => ({ id: randomLink() })}
      making={send}
      newShare={(fields) => ({ ...shareOf(fields), ...senderOf(fields) })}
      onClose={onClose}
    >
      <SenderFields request={request} />
      <WordsFields />
      <LinkFields />
      <SecurityFields />
    </ShareDialog>
  )
}
