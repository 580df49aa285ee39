import { useTranslation } from 'react-i18next'
import { FormDialog } from '../FormDialog.tsx'
import { LinkRules } from './LinkRules.tsx'
import type { LinkFields } from './link-form.ts'
import type { PlannedLink } from './planned-links.ts'

interface Props {
  open: boolean
  link: PlannedLink
  isNew: boolean
  /** Whether the share will be encrypted. */
  encrypted: boolean
  onDone(link: PlannedLink): void
  onClose(): void
}

/** Asks for the label and the rules of a link of a share that doesn't exist yet. */
export function PlannedLinkDialog({ open, link, isNew, encrypted, onDone, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <FormDialog<LinkFields, LinkFields>
      open={open}
      title={t(isNew ? 'links.addAnother' : 'links.editTitle')}
      ok={t(isNew ? 'links.add' : 'edit.save')}
      initial={link}
      submit={async (fields) => fields}
      onDone={(fields) => onDone({ ...fields, id: link.id })}
      onClose={onClose}
    >
      <LinkRules link={null} encrypted={encrypted} />
      {encrypted && <p className="soft">{t('links.sharePassword')}</p>}
    </FormDialog>
  )
}
