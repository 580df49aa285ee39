import { Select, Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { Icon } from '../../../components/Icon.tsx'
import { AmountControl } from './AmountControl.tsx'
import { ColorControl } from './ColorControl.tsx'
import { type ControlProps, described } from './control.ts'
import { ExpirationControl } from './ExpirationControl.tsx'
import { LogoSetting } from './LogoSetting.tsx'
import { SecretControl } from './SecretControl.tsx'
import { TextControl } from './TextControl.tsx'
import type { SettingsForm } from './use-drafts.ts'
import { choiceText, valueText } from './value-text.ts'
import { shownValue } from './values.ts'

interface Props {
  variable: AdminVariable
  form: SettingsForm
}

/** Returns the element id of a setting's field. */
export function fieldId(key: string): string {
  return `setting-${key}`
}

/** One setting: its name, help, field and error. */
export function Setting({ variable, form }: Props) {
  const { t } = useTranslation()
  const id = fieldId(variable.key)
  const problem = form.problem?.key === variable.key ? form.problem.text : null
  const wide = variable.type === 'text' || variable.key.endsWith('Subject') || variable.key === 'general.logo'
  const changed = variable.key in form.drafts
  return (
    <div className={wide ? 'setting setting-wide' : variable.type === 'boolean' ? 'setting setting-switch' : 'setting'}>
      <div className="setting-words">
        <label htmlFor={id} id={`${id}-name`}>
          {t(`config.${variable.key}`, variable.name)}
          {changed && <span className="setting-changed" aria-hidden="true" />}
        </label>
        <p id={`${id}-help`} className="soft">
          {t(`config.${variable.key}.help`, '')}
        </p>
      </div>
      <div className="setting-field">
        <Field variable={variable} form={form} id={id} problem={problem} />
        <p className="setting-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
        <Default variable={variable} form={form} />
      </div>
    </div>
  )
}

function Field({ variable, form, id, problem }: Props & { id: string; problem: string | null }) {
  const { drafts, change } = form
  if (variable.key === 'general.logo') return <LogoSetting id={id} version={String(variable.value)} />
  if (!variable.allowEdit) return <Fixed variable={variable} id={id} />
  const props: ControlProps = {
    id,
    variable,
    value: variable.secret ? (drafts[variable.key] ?? '') : shownValue(variable, drafts),
    describedBy: `${id}-help ${id}-problem`,
    invalid: problem !== null,
    onChange: (value) => change(variable, value),
  }
  if (variable.secret) {
    return <SecretControl key={variable.updatedAt} {...props} cleared={drafts[variable.key] === null} onKeep={() => change(variable, '')} />
  }
  if (variable.type === 'boolean') return <SwitchControl {...props} />
  if (variable.type === 'number') return <AmountControl {...props} />
  if (variable.key === 'general.accentColor') return <ColorControl {...props} />
  if (variable.choices) return <ChoiceControl {...props} choices={variable.choices} />
  return variable.key === 'share.defaultExpiration' ? <ExpirationControl {...props} /> : <TextControl {...props} />
}

function SwitchControl({ id, value, describedBy, onChange }: ControlProps) {
  return <Switch id={id} checked={value === true} aria-labelledby={`${id}-name`} aria-describedby={describedBy} onChange={onChange} />
}

function ChoiceControl({ choices, ...props }: ControlProps & { choices: string[] }) {
  const { t } = useTranslation()
  return (
    <Select
      {...described(props)}
      className="choice"
      value={String(props.value)}
      options={choices.map((value) => ({ value, label: choiceText(t, props.variable.key, value) }))}
      onChange={props.onChange}
    />
  )
}

function Fixed({ variable, id }: { variable: AdminVariable; id: string }) {
  const { t } = useTranslation()
  return (
    <div className="fixed">
      <output id={id} className="fixed-value">
        {valueText(t, variable)}
      </output>
      <p className="soft">
        <Icon name="lock" size={16} />
        {t('config.fixedHelp', { variable: variable.variable })}
      </p>
    </div>
  )
}

/** A button that resets a setting to its default, if the value differs. */
function Default({ variable, form }: Props) {
  const { t } = useTranslation()
  if (!variable.allowEdit || variable.secret || shownValue(variable, form.drafts) === variable.defaultValue) return null
  const text = variable.type === 'text' ? '' : valueText(t, variable, variable.defaultValue)
  return (
    <p className="setting-default small toolbar soft">
      {text && <span>{t('config.default', { value: text })}</span>}
      <button
        type="button"
        className="text-button"
        aria-label={t('config.resetOf', { name: t(`config.${variable.key}`) })}
        onClick={() => form.change(variable, null)}
      >
        {t('config.reset')}
      </button>
    </p>
  )
}
