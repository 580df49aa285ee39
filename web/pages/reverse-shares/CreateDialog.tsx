import { Button, Form, Input, InputNumber } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nameMaxLength, usesMax } from '../../../src/reverse-shares/limits.ts'
import { api } from '../../api.ts'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Icon } from '../../components/Icon.tsx'
import { ExpirationFields } from '../../components/share-form/ExpirationFields.tsx'
import { MoreFields } from './MoreFields.tsx'
import { type Fields, initialFields, newReverseShare } from './new-reverse-share.ts'
import { OptionFields } from './OptionFields.tsx'
import { SizeField } from './SizeField.tsx'
import '../../components/files/files.css'

interface Props {
  open: boolean
  onDone(link: string): void
  onClose(): void
}

/** The form field that each error is shown at. */
const errorFields = {
  reverse_share_token_taken: 'token',
  reverse_share_size_exceeds_maximum: 'maxSize',
  expiration_invalid: 'count',
  expiration_exceeds_maximum: 'count',
} as const

/** Asks for the details of a new reverse share and creates it. */
export function CreateDialog({ open, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const [showsMore, setShowsMore] = useState(false)
  const collapseAnd = (then: () => void) => () => {
    setShowsMore(false)
    then()
  }
  return (
    <FormDialog<Fields, { link: string }>
      open={open}
      title={t('reverse.createTitle')}
      ok={t('reverse.create')}
      initial={initialFields()}
      fieldOfCode={errorFields}
      submit={(fields) => api('POST /api/reverseShares', { body: newReverseShare(fields) })}
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
        <ExpirationFields />
        <p className="soft reverse-end small">{t('reverse.end')}</p>
        <div className="reverse-limits">
          <Form.Item name="maxUseCount" label={t('reverse.uses')} rules={[{ required: true, message: t('rule.required') }]}>
            <InputNumber min={1} max={usesMax} precision={0} inputMode="numeric" />
          </Form.Item>
          <SizeField />
        </div>
        <OptionFields />
        {showsMore ? (
          <MoreFields />
        ) : (
          <Button className="reverse-more" icon={<Icon name="settings" size={18} />} onClick={() => setShowsMore(true)}>
            {t('reverse.moreOptions')}
          </Button>
        )}
      </div>
    </FormDialog>
  )
}
