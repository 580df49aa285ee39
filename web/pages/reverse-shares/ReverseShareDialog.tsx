import { Button, Form, Input, InputNumber } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import { nameMaxLength, usesMax } from '../../../src/reverse-shares/limits.ts'
import { api } from '../../api.ts'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Icon } from '../../components/Icon.tsx'
import { ExpirationPart } from '../../components/share-form/ExpirationPart.tsx'
import { settings } from '../../start.ts'
import { changesOf, type Fields, fieldsOf, initialFields, newReverseShare } from './fields.ts'
import { MoreFields } from './MoreFields.tsx'
import { OptionFields } from './OptionFields.tsx'
import { SizeField } from './SizeField.tsx'
import '../../components/files/files.css'

interface Props {
  /** What to change; null for a new one. */
  reverse: OwnReverseShare | null
  open: boolean
  onDone(link: string): void
  onClose(): void
}

/** The form field that each error is shown at. */
const errorFields = {
  reverse_share_token_taken: 'token',
  reverse_share_size_exceeds_maximum: 'maxSize',
  expiration_invalid: 'expiration',
  expiration_exceeds_maximum: 'expiration',
} as const

/** Asks for the details of a reverse share, and creates or changes it. */
export function ReverseShareDialog({ reverse, open, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const [showsMore, setShowsMore] = useState(false)
  const [edited, setEdited] = useState(reverse)
  if (open && edited !== reverse) setEdited(reverse) // while it closes, it shows the last one
  const collapseAnd = (then: () => void) => () => {
    setShowsMore(false)
    then()
  }
  const submit = (fields: Fields) =>
    edited
      ? api('PATCH /api/reverseShares/:id', { params: { id: edited.id }, body: changesOf(fields) })
      : api('POST /api/reverseShares', { body: newReverseShare(fields) })
  return (
    <FormDialog<Fields, { link: string }>
      open={open}
      title={t(edited ? 'reverse.editTitle' : 'reverse.createTitle')}
      ok={t(edited ? 'account.save' : 'reverse.create')}
      initial={edited ? fieldsOf(edited) : initialFields()}
      fieldOfCode={errorFields}
      submit={submit}
      onDone={({ link }) => collapseAnd(() => onDone(link))()}
      onClose={collapseAnd(onClose)}
    >
      <div className="upload-form">
        <Form.Item
          name="name"
          label={t('reverse.name')}
          extra={t('reverse.nameHint')}
          rules={[{ max: nameMaxLength, message: t('rule.maxLength', { length: nameMaxLength }) }]}
        >
          <Input autoComplete="off" placeholder={t('upload.optional')} />
        </Form.Item>
        <ExpirationPart expiration={edited?.shareExpiration ?? null} />
        <p className="soft reverse-end small">{t('reverse.end')}</p>
        <div className="reverse-limits">
          <Form.Item name="maxUseCount" label={t('reverse.uses')}>
            <InputNumber min={1} max={usesMax} precision={0} inputMode="numeric" placeholder={t('upload.noLimit')} />
          </Form.Item>
          <SizeField name="maxSize" label={t('reverse.size')} max={settings['share.maxSize']} />
        </div>
        <OptionFields />
        {showsMore ? (
          <MoreFields edited={edited} />
        ) : (
          <Button className="reverse-more" icon={<Icon name="settings" size={18} />} onClick={() => setShowsMore(true)}>
            {t('reverse.moreOptions')}
          </Button>
        )}
      </div>
    </FormDialog>
  )
}
