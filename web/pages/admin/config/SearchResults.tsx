import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { NoMatch } from '../../../components/NoMatch.tsx'
import { categories, categoryOf, groupsOf } from './groups.ts'
import { Setting } from './Setting.tsx'
import type { SettingsForm } from './use-drafts.ts'

interface Props {
  search: string
  variables: AdminVariable[]
  form: SettingsForm
}

/** The settings of all categories that match a search. */
export function SearchResults({ search, variables, form }: Props) {
  const { t } = useTranslation()
  const found = matching(t, variables, search)
  return (
    <>
      <p className="visually-hidden" role="status">
        {t('config.found', { count: found.length })}
      </p>
      {found.length === 0 && <NoMatch text={t('config.noMatch')} />}
      {categories.map((category) => {
        const inCategory = found.filter(({ key }) => categoryOf(key) === category)
        return groupsOf(category, inCategory).map((group) => (
          <section key={`${category} ${group.name}`} className="setting-group">
            <h3>
              <span className="soft">{t(`config.category.${category}`)} · </span>
              {t(`config.group.${group.name}`)}
            </h3>
            <div className="card settings">
              {group.variables.map((variable) => (
                <Setting key={variable.key} variable={variable} form={form} />
              ))}
            </div>
          </section>
        ))
      })}
    </>
  )
}

/**
 * Returns the settings that have each word of the search in their name, help, key, group or
 * category.
 */
function matching(t: TFunction, variables: AdminVariable[], search: string): AdminVariable[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return categories.flatMap((category) => {
    const inCategory = variables.filter(({ key }) => categoryOf(key) === category)
    return groupsOf(category, inCategory).flatMap((group) =>
      group.variables.filter(({ key, variable }) => {
        const texts = [`category.${category}`, `group.${group.name}`, key, `${key}.help`].map((suffix) => t(`config.${suffix}`, ''))
        const text = [...texts, key, variable].join(' ').toLocaleLowerCase()
        return words.every((word) => text.includes(word))
      }),
    )
  })
}
