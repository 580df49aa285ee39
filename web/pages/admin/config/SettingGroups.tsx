import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { isProvider, type Provider } from '../../../../src/oauth/limits.ts'
import { Icon } from '../../../components/Icon.tsx'
import { type Category, type Group, groupsOf } from './groups.ts'
import { RedirectAddress } from './RedirectAddress.tsx'
import { Setting } from './Setting.tsx'
import { TestConnection } from './TestConnection.tsx'
import type { SettingsForm } from './use-drafts.ts'
import { shownValue } from './values.ts'

interface Props {
  category: Category
  variables: AdminVariable[]
  form: SettingsForm
}

/** The settings of one category in groups. Social logins that are off are collapsed. */
export function SettingGroups({ category, variables, form }: Props) {
  return groupsOf(category, variables).map((group) =>
    category === 'oauth' && isProvider(group.name) ? (
      <ProviderGroup key={group.name} group={group} provider={group.name} form={form} />
    ) : (
      <SettingGroup key={group.name} group={group} form={form} />
    ),
  )
}

function SettingGroup({ group, form }: { group: Group; form: SettingsForm }) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <section className="setting-group" aria-labelledby={id}>
      <h3 id={id}>{t(`config.group.${group.name}`)}</h3>
      <Settings group={group} form={form} />
    </section>
  )
}

function ProviderGroup({ group, provider, form }: { group: Group; provider: Provider; form: SettingsForm }) {
  const { t } = useTranslation()
  const isOn = group.variables.some((variable) => variable.name.endsWith('-enabled') && shownValue(variable, form.drafts) === true)
  const id = useId()
  const isTouched = group.variables.some(({ key }) => key in form.drafts || form.problem?.key === key)
  const [isOpen, setOpen] = useState(isOn)
  return (
    <details
      className="setting-group provider-group"
      aria-labelledby={id}
      open={isOpen || isTouched}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="line">
        <Icon name="chevron" />
        <h3 id={id}>{t(`config.group.${provider}`)}</h3>
        <span className={isOn ? 'badge badge-good' : 'badge'}>{t(isOn ? 'config.on' : 'config.off')}</span>
      </summary>
      <Settings group={group} form={form}>
        <RedirectAddress provider={provider} />
        <TestConnection provider={provider} unsaved={group.variables.some(({ key }) => key in form.drafts)} />
      </Settings>
    </details>
  )
}

function Settings({ group, form, children }: { group: Group; form: SettingsForm; children?: ReactNode }) {
  return (
    <div className="card settings">
      {group.variables.map((variable) => (
        <Setting key={variable.key} variable={variable} form={form} />
      ))}
      {children}
    </div>
  )
}
