import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { isProvider } from '../../../../src/oauth/limits.ts'
import { type Category, type Group, groupsOf } from './groups.ts'
import { RedirectAddress } from './RedirectAddress.tsx'
import { Setting } from './Setting.tsx'
import { TestConnection } from './TestConnection.tsx'
import type { SettingsForm } from './use-drafts.ts'

interface Props {
  category: Category
  variables: AdminVariable[]
  form: SettingsForm
}

/** The settings of one category in groups. */
export function SettingGroups({ category, variables, form }: Props) {
  return groupsOf(category, variables).map((group) => <SettingGroup key={group.name} group={group} category={category} form={form} />)
}

function SettingGroup({ group, category, form }: { group: Group; category: Category; form: SettingsForm }) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <section className="setting-group" aria-labelledby={id}>
      <h2 id={id}>{t(`config.group.${group.name}`)}</h2>
      <div className="card settings">
        {group.variables.map((variable) => (
          <Setting key={variable.key} variable={variable} form={form} />
        ))}
        {category === 'oauth' && isProvider(group.name) && (
          <>
            <RedirectAddress provider={group.name} />
            <TestConnection provider={group.name} unsaved={group.variables.some(({ key }) => key in form.drafts)} />
          </>
        )}
      </div>
    </section>
  )
}
