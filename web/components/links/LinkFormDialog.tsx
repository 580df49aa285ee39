import { useQueryClient } from '@tanstack/react-query'
import { Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { nameMaxLength } from '../../../src/shares/limits.ts'
import type { ShareLink } from '../../../src/shares/links/contract.ts'
import { api } from '../../api.ts'
import { formatDuration, formatTime } from '../../lib/format.ts'
import { FormDialog } from '../FormDialog.tsx'
import { parseExpiration } from '../share-form/expiration.ts'
import { PasswordPart } from '../share-form/PasswordPart.tsx'
import { DownloadsField, ViewsField } from '../share-form/ShareFields.tsx'
import { changesOf, durations, fieldsOf, keptExpiration, type LinkFields, newLink } from './link-form.ts'

/** The form field that each error is shown at. */
const errorFields = { expiration_invalid: 'expiration', expiration_exceeds_maximum: 'expiration' } as const

interface Props {
  open: boolean
  shareId: string
  /** null adds a link. */
  link: ShareLink | null
  onDone(link: ShareLink): void
  onClose(): void
}

/** Adds a link to a share, or changes one. */
export function LinkFormDialog({ open, shareId, link, onDone, onClose }: Props) {
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
      <Form.Item
        name="label"
        label={t('links.label')}
        extra={t('links.labelHint')}
        rules={[{ max: nameMaxLength, message: t('rule.maxLength', { length: nameMaxLength }) }]}
      >
        <Input placeholder={t('upload.optional')} />
      </Form.Item>
      <PasswordPart hasPassword={link?.hasPassword ?? false} />
      {!link?.first && <ExpirationField link={link} />}
      <ViewsField hint={t('upload.maxViewsHint')} />
      <DownloadsField />
    </FormDialog>
  )
}

function ExpirationField({ link }: { link: ShareLink | null }) {
  const { t } = useTranslation()
  const kept = link && fieldsOf(link).expiration === keptExpiration
  const options = [
    ...(kept ? [{ value: keptExpiration, label: formatTime(link.expiration) }] : []),
    ...durations.map((value) => ({ value, label: value === 'never' ? t('links.withShare') : durationText(value) })),
  ]
  return (
    <Form.Item name="expiration" label={t('shares.expires')}>
      <Select options={options} />
    </Form.Item>
  )
}

function durationText(value: string): string {
  const { count, unit } = parseExpiration(value)
  return formatDuration(count ?? 0, unit)
}
