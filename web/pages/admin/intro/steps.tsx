import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { Setting } from '../config/Setting.tsx'
import { shownValue } from '../config/values.ts'
import { Choice } from './Choice.tsx'
import type { StepProps } from './Introduction.tsx'

/** Asks for the name of the installation. */
export function NameStep({ variables, form }: StepProps) {
  return <Setting variable={of(variables, 'general.appName')} form={form} />
}

/** Asks for the address of the installation and suggests the address of this page. */
export function AddressStep({ variables, form }: StepProps) {
  const variable = of(variables, 'general.appUrl')
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is shown
  useEffect(() => {
    if (variable.value === '' && variable.allowEdit) form.change(variable, location.origin)
  }, [])
  return <Setting variable={variable} form={form} />
}

/** Asks who may upload and who may create accounts. */
export function PeopleStep({ variables, form }: StepProps) {
  return (
    <>
      <Choice name="uploads" options={['closed', 'open']} variable={of(variables, 'share.allowUnauthenticatedShares')} form={form} />
      <Choice name="accounts" options={['open', 'closed']} variable={of(variables, 'share.allowRegistration')} form={form} />
    </>
  )
}

const mailKeys = ['smtp.host', 'smtp.port', 'smtp.email', 'smtp.username', 'smtp.password']

/** Asks for the mail server. What was typed is discarded when email is turned off again. */
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
  const variable = variables.find((candidate) => candidate.key === key)
  if (!variable) throw new Error(`There is no setting ${key}.`)
  return variable
}
