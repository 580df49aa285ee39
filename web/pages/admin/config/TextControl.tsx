import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { type ControlProps, described, noAutofill } from './control.ts'
import { variablesOf } from './template-variables.ts'

const keyboards: Record<string, 'url' | 'email' | 'text'> = {
  'general.appUrl': 'url',
  'oauth.oidc-discoveryUri': 'url',
  'smtp.email': 'email',
  'smtp.host': 'url',
}

/**
 * The field of a text, with one or several lines, and with buttons that insert variables if it is a
 * template.
 * An empty text means the default, which the field shows as its placeholder.
 */
export function TextControl(props: ControlProps) {
  const { variable, onChange } = props
  const value = String(props.value)
  const several = variable.type === 'text'
  const common = {
    ...described(props),
    ...noAutofill,
    value,
    maxLength: variable.maxLength,
    placeholder: several ? undefined : String(variable.defaultValue),
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  const variables = variablesOf(variable.key)
  return (
    <div className="text-control stack">
      {several ? (
        <Input.TextArea {...common} className="template" rows={7} dir="auto" spellCheck />
      ) : (
        <Input {...common} type="text" inputMode={keyboards[variable.key] ?? 'text'} dir="auto" />
      )}
      {variables.length > 0 && <Variables {...props} names={variables} />}
    </div>
  )
}

function Variables({ id, variable, value, names, onChange }: ControlProps & { names: readonly string[] }) {
  const { t } = useTranslation()
  const insert = (word: string) => {
    const field = document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement
    const text = String(value)
    const [from, to] = [field.selectionStart ?? text.length, field.selectionEnd ?? text.length]
    onChange(text.slice(0, from) + word + text.slice(to))
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(from + word.length, from + word.length)
    })
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: the buttons belong to the field above, not to a fieldset
    <div className="variables toolbar" role="group" aria-label={`${t('config.variables')}: ${t(`config.${variable.key}`)}`}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className="variable"
          title={t(`config.variable.${name}`)}
          aria-label={t('config.insert', { variable: `{${name}}` })}
          onClick={() => insert(`{${name}}`)}
        >
          {`{${name}}`}
        </button>
      ))}
    </div>
  )
}
