import { useTranslation } from 'react-i18next'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import { useSend } from '../../components/files/request.ts'
import type { PickedFile } from '../../components/files/upload-session.ts'
import { LinkFields } from '../../components/share-form/LinkFields.tsx'
import { PasswordField } from '../../components/share-form/PasswordField.tsx'
import { randomLink } from '../../components/share-form/random-link.ts'
import { DeleteAfterField, DescriptionFields, DownloadsField, ViewsField } from '../../components/share-form/ShareFields.tsx'
import { type ShareFields, ShareForm, toNewShare } from '../../components/share-form/ShareForm.tsx'
import { SenderFields, type SenderValues, senderOf } from './SenderFields.tsx'

interface Fields extends ShareFields, SenderValues {}

interface Props {
  request: OpenReverseShare
  files: readonly PickedFile[]
  /** Whether the files can't be uploaded as they are. */
  disabled: boolean
}

/**
 * Asks for the sender and, unless the link is simplified, for the details of the share. It creates
 * the share and starts the upload. The link sets the expiration.
 */
export function SenderForm({ request, files, disabled }: Props) {
  const { t } = useTranslation()
  const send = useSend(request, files)
  const { simplified } = request
  const more = (
    <>
      <LinkFields />
      <ViewsField hint={t('upload.maxViewsHint')} />
      <DownloadsField />
      <DeleteAfterField />
    </>
  )
  return (
    <ShareForm<Fields>
      ok={t('send.send')}
      disabled={disabled}
      initial={() => (simplified ? {} : { id: randomLink() })}
      creation={send}
      newShare={(fields) => ({ ...toNewShare(fields), ...senderOf(fields) })}
      more={simplified ? undefined : more}
    >
      <SenderFields request={request} />
      {!simplified && (
        <>
          <DescriptionFields />
          <PasswordField hint={t('upload.passwordHint')} placeholder={t('upload.noPassword')} />
        </>
      )}
    </ShareForm>
  )
}
