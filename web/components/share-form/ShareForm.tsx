import type { UseMutationResult } from '@tanstack/react-query'
import { Button, Collapse, Form } from 'antd'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NewShare } from '../../../src/shares/contract.ts'
import { ApiError } from '../../api.ts'
import { signInPath } from '../../lib/access.ts'
import { address } from '../../lib/address.ts'
import { errorText, fieldErrors } from '../../lib/error-text.ts'
import { Icon } from '../Icon.tsx'
import './share-form.css'

/** Form fields that every new share has. */
export interface ShareFields {
  id?: string
  name?: string
  description?: string
  password?: string
  maxViews?: number | null
  maxDownloads?: number | null
  deleteAfterDownloads?: boolean
  notify?: NewShare['notify']
}

interface Props<F extends object> {
  /** Label of the button that creates the share. */
  ok: string
  /** Whether something outside of the form prevents the upload, such as too many files. */
  disabled: boolean
  initial(): F
  /** Creates the share and starts the upload. */
  creation: Pick<UseMutationResult<unknown, Error, NewShare>, 'error' | 'isPending' | 'mutate'>
  newShare(fields: F): NewShare
  children?: ReactNode
  /** Rarely used fields in a collapsed section. */
  more?: ReactNode
  /** A text above the button. */
  note?: string
}

/** The form field that each error is shown at. */
const errorFields = {
  share_id_taken: 'id',
  share_id_invalid: 'id',
  expiration_invalid: 'expiration',
  expiration_exceeds_maximum: 'expiration',
}
/** Names of form fields by the path of the request field. */
const fieldNames: Record<string, string> = {
  'security.password': 'password',
  'security.maxViews': 'maxViews',
  'security.maxDownloads': 'maxDownloads',
}
const fieldOf = (path: string) => (path.startsWith('recipients.') ? 'recipients' : (fieldNames[path] ?? path))
const moreFields = ['id', 'maxViews', 'maxDownloads']

/**
 * The form of a new share beside its files, with one button that creates it and starts the upload.
 * Errors of the server are shown at their field or above the form.
 */
export function ShareForm<F extends object>(props: Props<F>) {
  const { ok, disabled, initial, creation, newShare, children, more, note } = props
  const { t } = useTranslation()
  const [form] = Form.useForm<F>()
  const [initialValues] = useState(initial)
  const [showsMore, setShowsMore] = useState(false)
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => focusFirstField(fields.current), [])
  const openFor = (names: readonly string[]) => names.some((name) => moreFields.includes(name)) && setShowsMore(true)
  const submit = (values: F) => disabled || creation.isPending || creation.mutate(newShare(values), { onError: showFieldErrors })
  const showFieldErrors = (error: Error) => {
    const refused = fieldErrors(t, error, errorFields).map(({ name, errors }) => ({ name: fieldOf(name), errors }))
    openFor(refused.map(({ name }) => name))
    form.setFields(refused as Parameters<typeof form.setFields>[0])
  }
  const isGeneral = creation.error !== null && fieldErrors(t, creation.error, errorFields).length === 0
  return (
    <Form<F>
      form={form}
      className="share-form"
      aria-label={t('upload.details')}
      layout="vertical"
      requiredMark={false}
      initialValues={initialValues}
      autoComplete="off"
      noValidate // the browser's own messages are in its language, not in that of the page
      scrollToFirstError={{ focus: true }}
      onKeyDown={keepFromSubmitting}
      onFinish={submit}
      onFinishFailed={({ errorFields: failed }) => openFor(failed.map(({ name }) => String(name[0])))}
    >
      <div className="share-form-fields upload-form" ref={fields}>
        {isGeneral && <GeneralError error={creation.error} />}
        {children}
        {more && (
          <Collapse
            ghost
            className="share-form-more"
            activeKey={showsMore ? ['more'] : []}
            onChange={(keys) => setShowsMore(keys.length > 0)}
            items={[{ key: 'more', label: t('upload.more'), forceRender: true, children: more }]}
          />
        )}
      </div>
      <footer className="share-form-foot stack">
        {note && <p className="soft small">{note}</p>}
        <Button type="primary" size="large" htmlType="submit" block disabled={disabled} loading={creation.isPending}>
          {ok}
        </Button>
      </footer>
    </Form>
  )
}

function GeneralError({ error }: { error: Error | null }) {
  const { t } = useTranslation()
  return (
    <p className="notice notice-danger" role="alert">
      <Icon name="info" />
      {errorText(t, error)}{' '}
      {error instanceof ApiError && error.code === 'unauthorized' && (
        <a href={address(signInPath())} target="_blank" rel="noopener">
          {t('upload.signInAgain')}
        </a>
      )}
    </p>
  )
}

/**
 * Keeps Enter in a field from sending the files before the other fields are filled in. React also
 * reports keys in dialogs that the form opens, which have a form of their own.
 */
function keepFromSubmitting(event: KeyboardEvent): void {
  const { key, currentTarget, target } = event
  if (key === 'Enter' && target instanceof HTMLInputElement && currentTarget.contains(target)) event.preventDefault()
}

/** Focuses the first text field, except on touch screens, whose keyboard would cover the files. */
function focusFirstField(fields: HTMLElement | null): void {
  const field = fields?.querySelector<HTMLElement>('input[type=text], textarea')
  if (matchMedia('(pointer: fine)').matches) field?.focus({ preventScroll: true })
}

/** Returns the part of a request for a new share that these fields hold. */
export function toNewShare({ id, name, description, password, maxViews, maxDownloads, deleteAfterDownloads = false, notify }: ShareFields) {
  const security = {
    ...(password && { password }),
    ...(maxViews && { maxViews }),
    ...(maxDownloads && { maxDownloads, deleteAfterDownloads }),
  }
  return {
    ...(id && { id }),
    ...(name && { name }),
    ...(description && { description }),
    ...(notify && { notify }),
    ...(Object.keys(security).length > 0 && { security }),
  }
}
