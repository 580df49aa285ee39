import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { NewShare } from '../../../src/shares/contract.ts'
import { api } from '../../api.ts'
import { beginUpload, type PickedFile } from '../../components/files/upload-session.ts'
import { canHaveRecipients } from '../../components/recipients/addresses.ts'
import { RecipientsField } from '../../components/recipients/RecipientsField.tsx'
import { ExpirationFields } from '../../components/share-form/ExpirationFields.tsx'
import { type Expiration, expirationText, initialExpiration } from '../../components/share-form/expiration.ts'
import { LinkFields, randomLink } from '../../components/share-form/LinkFields.tsx'
import { ShareDialog, type ShareFields, toNewShare } from '../../components/share-form/ShareDialog.tsx'
import { DescriptionFields, SecurityFields } from '../../components/share-form/ShareFields.tsx'
import { rememberOwn } from '../../lib/own-shares.ts'
import { start } from '../../start.ts'

interface Fields extends ShareFields, Expiration {
  recipients?: string[]
}

interface Props {
  open: boolean
  files: readonly PickedFile[]
  onClose(): void
}

/** Asks for the details of a new share, creates it, and starts the upload. */
export function CreateShareDialog({ open, files, onClose }: Props) {
  const { t } = useTranslation()
  const create = useMutation({
    mutationFn: async (body: NewShare) => {
      if (start.user) await api('GET /api/users/me') // renews an expired session, without which the share would have no owner
      return api('POST /api/shares', { body })
    },
    onSuccess: ({ id, link, expiration, ownerToken }) => {
      if (ownerToken) rememberOwn(id)
      const share = { id, link, expiration, ownerId: start.user?.id ?? null }
      beginUpload(
        share,
        files.map(({ source }) => source),
      )
    },
  })
  return (
    <ShareDialog<Fields>
      open={open}
      title={t('upload.createTitle')}
      ok={t('upload.start')}
      initial={() => ({ id: randomLink(), ...initialExpiration(new Date()) })}
      creation={create}
      newShare={newShare}
      onClose={onClose}
    >
      <LinkFields />
      <ExpirationFields />
      <DescriptionFields />
      {canHaveRecipients() && <RecipientsField label={t('recipients.label')} hint={t('recipients.hint')} />}
      <SecurityFields />
      {!start.user && <p className="soft anonymous-note small">{t('upload.anonymousNote')}</p>}
    </ShareDialog>
  )
}

function newShare({ recipients, ...fields }: Fields): NewShare {
  return { ...toNewShare(fields), ...(recipients?.length && { recipients }), expiration: expirationText(fields) }
}
