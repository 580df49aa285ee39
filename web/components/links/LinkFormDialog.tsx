import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { ShareLink } from '../../../src/shares/links/contract.ts'
import { api } from '../../api.ts'
import { FormDialog } from '../FormDialog.tsx'
import { LinkRules } from './LinkRules.tsx'
import { changesOf, fieldsOf, type LinkFields, newLink } from './link-form.ts'

/** The form field that each error is shown at. */
const errorFields = { expiration_invalid: 'expiration', expiration_exceeds_maximum: 'expiration' } as const

interface Props {
  open: boolean
  shareId: string
  encrypted: boolean
  /** null adds a link. */
  link: ShareLink | null
  onDone(link: ShareLink): void
  onClose(): void
}

/** Adds a link to a share, or changes one. */
export function LinkFormDialog({ open, shareId, encrypted, link, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const submit = (fields: LinkFields) =>
    link
      ? api('PATCH /api/shares/:id/links/:link', { params: { id: shareId, link: link.id }, body: changesOf(fields, link) })
      : api('POST /api/shares/:id/links', { params: { id: shareId }, body: newLink(fields) })
  return (
    <FormDialog<LinkFields, ShareLink>
      open={open}
      title={t(link ? 'links.editTitle' : 'links.add')}
      ok={t(link ? 'edit.save' : 'links.add')}
      initial={fieldsOf(link)}
      fieldOfCode={errorFields}
      submit={submit}
      onDone={async (saved) => {
        onDone(saved)
        await queries.invalidateQueries({ queryKey: ['links', shareId] })
      }}
      onClose={onClose}
    >
      <LinkRules link={link} encrypted={encrypted} />
    </FormDialog>
  )
}
