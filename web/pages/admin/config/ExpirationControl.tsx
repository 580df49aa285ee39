import { Checkbox, InputNumber, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { type Expiration, expirationText, parseExpiration, units } from '../../../components/share-form/expiration.ts'
import { type ControlProps, described } from './control.ts'

/** The field of an expiration: a number and a unit, or never. */
export function ExpirationControl(props: ControlProps) {
  const { t } = useTranslation()
  const name = t(`config.${props.variable.key}`)
  const expiration = parseExpiration(String(props.value))
  const change = (part: Partial<Expiration>) => {
    const changed = { ...expiration, ...part }
    props.onChange(changed.never || changed.count ? expirationText(changed) : null)
  }
  return (
    <div className="amount amount-expiration">
      <InputNumber<number>
        {...described(props)}
        className="amount-number"
        value={expiration.never ? null : expiration.count}
        disabled={expiration.never}
        min={1}
        precision={0}
        controls={false}
        autoComplete="off"
        inputMode="numeric"
        onChange={(count) => change({ count })}
      />
      <Select
        aria-label={`${name}: ${t('config.unit')}`}
        disabled={expiration.never}
        value={expiration.unit}
        options={units.map((unit) => ({ value: unit, label: t(`upload.unit.${unit}`, { count: expiration.count ?? 2 }) }))}
        onChange={(unit) => change({ unit })}
      />
      <Checkbox checked={expiration.never} onChange={(event) => change({ never: event.target.checked })}>
        {t('upload.neverExpires')}
      </Checkbox>
    </div>
  )
}
