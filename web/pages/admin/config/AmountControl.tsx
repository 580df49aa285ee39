import { InputNumber, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { fittingUnit, unitsOf } from '../../../lib/units.ts'
import { type ControlProps, described } from './control.ts'

/** Settings whose zero means that there is none; their field is empty then. */
const nothing: Record<string, string> = { 'share.maxExpiration': 'config.unlimited', 'smtp.port': 'config.notSet' }

/** A number, without a unit or with one that can be chosen. */
export function AmountControl(props: ControlProps) {
  const { unit } = props.variable
  return unit ? <UnitControl {...props} unit={unit} /> : <NumberField {...props} size={1} />
}

function UnitControl({ unit, ...props }: ControlProps & { unit: NonNullable<AdminVariable['unit']> }) {
  const { t } = useTranslation()
  const value = Number(props.value)
  const [chosen, setChosen] = useState(() => fittingUnit(unit, value).name)
  const units = unitsOf(unit)
  const { size } = units.find(({ name }) => name === chosen)!
  const choose = (name: string) => {
    setChosen(name)
    const wanted = units.find((one) => one.name === name)!
    if (value > 0) props.onChange(Math.round((value / size) * wanted.size))
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
  const none = nothing[variable.key]
  const value = Number(props.value)
  return (
    <InputNumber<number>
      {...described(props)}
      className="amount-number"
      value={none && value === 0 ? null : value / size}
      placeholder={none ? t(none) : variable.defaultValue}
      min={0}
      autoComplete="off"
      inputMode="decimal"
      controls={false}
      changeOnBlur={false}
      onChange={(count) => onChange(typeof count === 'number' ? Math.round(count * size) : none ? 0 : null)}
    />
  )
}
