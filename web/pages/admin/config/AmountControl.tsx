import { InputNumber, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { fittingUnit, unitsOf } from '../../../lib/units.ts'
import { type ControlProps, described } from './control.ts'

/** Settings for which zero means no value. Their field is empty then and shows this text. */
const zeroTexts: Record<string, string> = { 'share.maxExpiration': 'config.unlimited', 'smtp.port': 'config.notSet' }

/** The field of a number, with a choice of units if the setting has one. */
export function AmountControl(props: ControlProps) {
  const { unit } = props.variable
  return unit ? <UnitControl {...props} unit={unit} /> : <NumberField {...props} size={1} />
}

function UnitControl({ unit, ...props }: ControlProps & { unit: NonNullable<AdminVariable['unit']> }) {
  const { t } = useTranslation()
  const value = Number(props.value)
  const [chosen, setChosen] = useState(() => fittingUnit(unit, value).name)
  const units = unitsOf(unit)
  const sizeOf = (unitName: string) => units.find(({ name }) => name === unitName)?.size ?? 1
  const size = sizeOf(chosen)
  const choose = (name: string) => {
    setChosen(name)
    if (value > 0) props.onChange(Math.round((value / size) * sizeOf(name)))
  }
  return (
    <div className="amount">
      <NumberField {...props} size={size} />
      <Select
        aria-label={`${t(`config.${props.variable.key}`)}: ${t('config.unit')}`}
        value={chosen}
        onChange={choose}
        options={units.map(({ name }) => ({
          value: name,
          label: unit === 'bytes' ? name : t(`config.unit.${name}`, { count: value / size || 2 }),
        }))}
      />
    </div>
  )
}

function NumberField({ size, ...props }: ControlProps & { size: number }) {
  const { t } = useTranslation()
  const { variable, onChange } = props
  const zeroText = zeroTexts[variable.key]
  const value = Number(props.value)
  return (
    <InputNumber<number>
      {...described(props)}
      className="amount-number"
      value={zeroText && value === 0 ? null : value / size}
      placeholder={zeroText ? t(zeroText) : String(variable.defaultValue)}
      min={0}
      autoComplete="off"
      inputMode="decimal"
      controls={false}
      changeOnBlur={false}
      onChange={(count) => onChange(typeof count === 'number' ? Math.round(count * size) : zeroText ? 0 : null)}
    />
  )
}
