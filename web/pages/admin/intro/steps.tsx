import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { Setting } from '../config/Setting.tsx'
import { shownValue } from '../config/values.ts'
import { Choice } from './Choice.tsx'
import type { StepProps } from './Introduction.tsx'

export function NameStep({ variables, form }: StepProps) {
  return <Setting variable={of(variables, 'general.appName')} form={form} />
}

/** The address is suggested: the one under which the administrator sees this page. */
export function AddressStep({ variables, form }: StepProps) {
  const variable = of(variables, 'general.appUrl')
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is shown
  useEffect(() => {
    if (variable.value === '' && variable.allowEdit) form.change(variable, location.origin)
  }, [])
  return <Setting variable={variable} form={form} />
}

export function PeopleStep({ variables, form }: StepProps) {
  return (
    <>
      <Choice name="uploads" options={['closed', 'open']} variable={of(variables, 'share.allowUnauthenticatedShares')} form={form} />
      <Choice name="accounts" options={['open', 'closed']} variable={of(variables, 'share.allowRegistration')} form={form} />
    </>
  )
}

const mailKeys = ['smtp.host', 'smtp.port', 'smtp.email', 'smtp.username', 'smtp.password']

/** The mail server, for who has one at hand. What was typed is forgotten when e-mail is switched off again. */
export function MailStep({ variables, form }: StepProps) {
  const { t } = useTranslation()
  const enabled = of(variables, 'smtp.enabled')
  const change: typeof form.change = (variable, value) => {
    if (variable.key === enabled.key && value === false) form.discard()
    form.change(variable, value)
  }
  return (
    <>
      <p className="soft intro-text">{t('intro.mail.text')}</p>
      <Setting variable={enabled} form={{ ...form, change }} />
      {shownValue(enabled, form.drafts) === true && mailKeys.map((key) => <Setting key={key} variable={of(variables, key)} form={form} />)}
    </>
  )
}

function of(variables: AdminVariable[], key: string): AdminVariable {
  return variables.find((one) => one.key === key)!
}
