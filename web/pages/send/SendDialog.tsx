import { useTranslation } from 'react-i18next'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import { useSend } from '../../components/files/request.ts'
import type { PickedFile } from '../../components/files/upload-session.ts'
import { LinkFields, randomLink } from '../../components/share-form/LinkFields.tsx'
import { ShareDialog, type ShareFields, toNewShare } from '../../components/share-form/ShareDialog.tsx'
import { DescriptionFields, SecurityFields } from '../../components/share-form/ShareFields.tsx'
import { SenderFields, type SenderValues, senderOf } from './SenderFields.tsx'

interface Fields extends ShareFields, SenderValues {}

interface Props {
  open: boolean
  request: OpenReverseShare
  files: readonly PickedFile[]
  onClose(): void
}

/**
 * Asks for the sender and the details of a new share, creates it, and starts the upload. The link
 * sets the expiration.
 */
export function SendDialog({ open, request, files, onClose }: Props) {
  const { t } = useTranslation()
  const send = useSend(request, files)
  return (
    <ShareDialog<Fields>
      open={open}
      title={t('send.to', { name: request.creator.username })}
      ok={t('send.send')}
      initial={() => ({ id: randomLink() })}
      creation={send}
      newShare={(fields) => ({ ...toNewShare(fields), ...senderOf(fields) })}
      onClose={onClose}
    >
      <SenderFields request={request} />
      <DescriptionFields />
      <LinkFields />
      <SecurityFields />
    </ShareDialog>
  )
}
