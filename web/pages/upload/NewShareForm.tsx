import { useMutation } from '@tanstack/react-query'
import { Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NewShare } from '../../../src/shares/contract.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { createShare, creatingShare } from '../../components/files/create-share.ts'
import { beginUpload } from '../../components/files/upload-session.ts'
import { PlannedLinks } from '../../components/links/PlannedLinks.tsx'
import { addLinks, bodiesOf, type PlannedLink } from '../../components/links/planned-links.ts'
import { canHaveRecipients } from '../../components/recipients/addresses.ts'
import { RecipientsField } from '../../components/recipients/RecipientsField.tsx'
import { VerifyField } from '../../components/recipients/VerifyField.tsx'
import { EncryptionField, encryptsByDefault } from '../../components/share-form/EncryptionField.tsx'
import { ExpirationFields } from '../../components/share-form/ExpirationFields.tsx'
import { type ExpirationValues, initialExpiration, requestedExpiration } from '../../components/share-form/expiration.ts'
import { expirationRules } from '../../components/share-form/expiration-rules.ts'
import { LinkFields } from '../../components/share-form/LinkFields.tsx'
import { PasswordField } from '../../components/share-form/PasswordField.tsx'
import { randomLink } from '../../components/share-form/random-link.ts'
import {
  canBeNotified,
  DeleteAfterField,
  DescriptionFields,
  DownloadsField,
  NotifyField,
  ViewsField,
} from '../../components/share-form/ShareFields.tsx'
import { type ShareFields, ShareForm, toNewShare } from '../../components/share-form/ShareForm.tsx'
import { rememberOwn } from '../../lib/own-shares.ts'
import { rememberResult } from '../../lib/upload/results.ts'
import { start } from '../../start.ts'

interface Fields extends ShareFields, ExpirationValues {
  recipients?: string[]
  verifyRecipients?: boolean
  encrypted?: boolean
}

interface Props {
  /** A text has one file. */
  kind?: NewShare['kind']
  /** Returns the files to upload. */
  sources(): readonly FileSource[]
  /** Whether the files can't be uploaded as they are. */
  disabled: boolean
  /** Called once the share is created. */
  onCreated?(): void
}

/** The form of a new share of the user. It creates the share and starts the upload. */
export function NewShareForm({ kind, sources, disabled, onCreated }: Props) {
  const { t } = useTranslation()
  const [links, setLinks] = useState<PlannedLink[]>([])
  const create = useMutation({
    ...creatingShare,
    mutationFn: async (body: NewShare) => {
      const created = await createShare(body, sources())
      const missingLinks = await addLinks(created.share.id, bodiesOf(links, body.encrypted ?? false), t)
      return { ...created, missingLinks }
    },
    onSuccess: ({ share, encryption, ownerToken, sources: files, cleaned, missingLinks }, { security }) => {
      if (ownerToken) rememberOwn(share.id)
      rememberResult(share.id, {
        ...(security?.password && { password: security.password }),
        ...(missingLinks.length > 0 && { missingLinks }),
      })
      beginUpload({ ...share, cleaned }, files, encryption)
      onCreated?.()
    },
  })
  const more = (
    <>
      <LinkFields />
      <PlannedLinks links={links} onChange={setLinks} />
      <ViewsField hint={t('upload.maxViewsHint')} />
      <DownloadsField />
      <DeleteAfterField />
      {canBeNotified() && <NotifyField />}
    </>
  )
  return (
    <ShareForm<Fields>
      ok={t('upload.start')}
      disabled={disabled}
      initial={() => ({
        id: randomLink(),
        ...(canBeNotified() && { notify: 'none' as const }),
        expiration: initialExpiration(expirationRules()),
        encrypted: encryptsByDefault(),
      })}
      creation={create}
      newShare={(fields) => ({ ...newShare(fields), ...(kind && { kind }) })}
      more={more}
      note={start.user ? undefined : t('upload.anonymousNote')}
    >
      {canHaveRecipients() && <Mails />}
      <DescriptionFields />
      <ExpirationFields />
      <PasswordField hint={t('upload.passwordHint')} placeholder={t('upload.noPassword')} />
      <EncryptionField />
    </ShareForm>
  )
}

/** The recipients of an email, which can't carry the key of an encrypted share. */
function Mails() {
  const { t } = useTranslation()
  const form = Form.useFormInstance()
  const isEncrypted = Form.useWatch<boolean>('encrypted', form)
  const recipients = Form.useWatch<string[] | undefined>('recipients', form)
  return (
    <>
      <RecipientsField label={t('recipients.label')} hint={t(isEncrypted ? 'recipients.hintEncrypted' : 'recipients.hint')} />
      {recipients && recipients.length > 0 && <VerifyField />}
    </>
  )
}

function newShare({ recipients, verifyRecipients, expiration, encrypted, ...fields }: Fields): NewShare {
  return {
    ...toNewShare(fields),
    ...(recipients?.length && { recipients, ...(verifyRecipients && { verifyRecipients }) }),
    ...(encrypted && { encrypted }),
    expiration: requestedExpiration(expiration, expirationRules()),
  }
}
