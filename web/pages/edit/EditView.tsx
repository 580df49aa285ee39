import { Button, Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { Icon } from '../../components/Icon.tsx'
import { LeaveDialog } from '../../components/LeaveDialog.tsx'
import { useRecipients } from '../../components/recipients/queries.ts'
import { Recipients } from '../../components/recipients/Recipients.tsx'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { useNotify } from '../../lib/notify.tsx'
import { folderPath } from '../../lib/share-addresses.ts'
import { ownTitleOf } from '../../lib/share-title.ts'
import { DetailsForm } from './DetailsForm.tsx'
import { changesOf, type Details } from './details.ts'
import { EditBar } from './EditBar.tsx'
import { useEditUpload } from './edit-uploads.ts'
import { FilesPart } from './FilesPart.tsx'
import { PrivateNotice } from './PrivateNotice.tsx'
import type { ShareEditor } from './share-editor.ts'
import { useSaving } from './use-saving.ts'

const staysHere = (path: string) => /^\/share\/[^/]+\/edit$/.test(path)

/** Shows everything of a share that can be changed, and whether there are unsaved changes. */
export function EditView({ share, editor }: { share: OwnerPage; editor: ShareEditor }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const [form] = Form.useForm<Details>()
  const upload = useEditUpload(share.id)
  const details = Form.useWatch([], { form, preserve: true }) as Details | undefined
  const saving = useSaving(share, editor, form, upload)
  const [discarding, setDiscarding] = useState(false)
  const detailsChanged = details !== undefined && Object.keys(changesOf(details, share)).length > 0
  const uploading = upload !== null && !upload.ended
  const guard = useLeaveGuard(detailsChanged, staysHere) // changed files are kept, and uploads go on
  const changed = detailsChanged || uploading || share.editing
  return (
    <article className="narrow stack">
      <header className="edit-head spread toolbar">
        {/* An encrypted share has been decrypted by its editor. */}
        <h1>{t('edit.heading', { name: ownTitleOf({ ...share, encrypted: false }, t) })}</h1>
        <Link href={folderPath(share.id, '')} asChild>
          <Button icon={<Icon name="eye" size={18} />}>{t('edit.view')}</Button>
        </Link>
      </header>
      <p className={changed ? 'notice edit-notice' : 'notice edit-notice edit-notice-calm'} role="status">
        <Icon name={changed ? 'pencil' : 'info'} />
        <span>{t(changed ? 'edit.stillOld' : 'edit.nothingYet')}</span>
      </p>
      {!share.publicAccess && !share.received && <PrivateNotice id={share.id} />}
      {share.encrypted && <EncryptedNotice />}
      <FilesPart share={share} editor={editor} upload={upload} />
      <section className="card" aria-labelledby="edit-details">
        <h2 id="edit-details">{t('edit.details')}</h2>
        <DetailsForm form={form} share={share} onFinish={saving.save} />
      </section>
      <RecipientsPart share={share} />
      {changed && <EditBar uploading={uploading} share={share} saving={saving} onDiscard={() => setDiscarding(true)} />}
      <AskDialog
        open={discarding}
        title={t('edit.discardTitle')}
        text={t('edit.discardText')}
        ok={t('edit.discard')}
        danger
        action={saving.discard}
        onDone={() => setDiscarding(false)}
        onError={(error) => {
          setDiscarding(false)
          notify.error(error)
        }}
        onClose={() => setDiscarding(false)}
      />
      <LeaveDialog open={guard.destination !== null} text={t('edit.leaveDetails')} onLeave={guard.confirm} onStay={guard.stay} />
    </article>
  )
}

function EncryptedNotice() {
  const { t } = useTranslation()
  return (
    <p className="notice edit-notice edit-notice-calm">
      <Icon name="lock" />
      <span>{t('edit.encryptedText')}</span>
    </p>
  )
}

function RecipientsPart({ share }: { share: OwnerPage }) {
  const { t } = useTranslation()
  const { shown } = useRecipients(share.id)
  if (!shown) return null
  return (
    <section className="card edit-recipients stack" aria-labelledby="edit-recipients">
      <h2 id="edit-recipients">{t('shares.recipients')}</h2>
      <Recipients share={share} editing={share.editing} />
    </section>
  )
}
