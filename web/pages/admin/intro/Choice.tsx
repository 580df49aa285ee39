import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import type { SettingsForm } from '../config/use-drafts.ts'
import { shownValue } from '../config/values.ts'

interface Props {
  name: 'uploads' | 'accounts'
  options: ('open' | 'closed')[]
  variable: AdminVariable
  form: SettingsForm
}

/** A boolean setting as a question with two options. */
export function Choice({ name, options, variable, form }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const isOpen = shownValue(variable, form.drafts) === true
  return (
    <fieldset className="intro-choice stack" disabled={!variable.allowEdit}>
      <legend>{t(`intro.${name}`)}</legend>
      {options.map((option) => (
        <label key={option} className="intro-option">
          <input
            type="radio"
            name={id}
            checked={isOpen === (option === 'open')}
            onChange={() => form.change(variable, option === 'open')}
          />
          <span>
            <strong>{t(`intro.${name}.${option}`)}</strong>
            <span className="soft">{t(`intro.${name}.${option}Text`)}</span>
          </span>
        </label>
      ))}
      {!variable.allowEdit && <p className="soft">{t('config.fixedHelp', { variable: variable.variable })}</p>}
    </fieldset>
  )
}
