import { Select } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/Icon.tsx'
import { Part } from '../../components/Part.tsx'
import { chooseColorScheme, useColorScheme } from '../../lib/color-scheme.ts'
import { chooseLanguage, schemes } from '../../lib/preferences.ts'
import { start } from '../../start.ts'

/** The language and color scheme, which are stored in this browser. */
export function Appearance() {
  const { t } = useTranslation()
  const { chosen } = useColorScheme()
  const id = useId()
  return (
    <Part id="appearance" title={t('account.appearance')} text={t('account.appearanceText')}>
      <div className="account-columns">
        <div className="account-choice stack">
          <label htmlFor={`${id}-language`}>{t('language.label')}</label>
          <Select
            id={`${id}-language`}
            value={start.language}
            options={start.languages.map(({ code, name }) => ({ value: code, label: <span lang={code}>{name}</span> }))}
            onChange={chooseLanguage}
          />
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout */}
        <div className="account-choice stack" role="group" aria-labelledby={`${id}-scheme`}>
          <span id={`${id}-scheme`}>{t('scheme.label')}</span>
          <div className="scheme-choice">
            {schemes.map(({ scheme, icon }) => (
              <button key={scheme} type="button" aria-pressed={chosen === scheme} onClick={() => chooseColorScheme(scheme)}>
                <Icon name={icon} size={18} />
                {t(`scheme.${scheme}`)}
              </button>
            ))}
          </div>
        </div>
      </div>
    </Part>
  )
}
