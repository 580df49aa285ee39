import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { UserDTO } from '../../src/users/contract.ts'
import { chooseColorScheme, useColorScheme } from '../lib/color-scheme.ts'
import { useHydrated } from '../lib/hydration.tsx'
import { useNotify } from '../lib/notify.tsx'
import { useOwnUser } from '../lib/own-user.ts'
import { chooseLanguage, schemes } from '../lib/preferences.ts'
import { signOut } from '../lib/sign-out.ts'
import { start } from '../start.ts'
import { Icon } from './Icon.tsx'
import type { IconName } from './icon-paths.ts'

/**
 * The menu of the user or visitor: account, language and color scheme. The browser's popover
 * handles opening, closing and the focus.
 */
export function PreferencesMenu() {
  const { t } = useTranslation()
  const user = useOwnUser()
  const hydrated = useHydrated()
  return (
    <>
      <button type="button" className="avatar" popoverTarget="preferences" disabled={!hydrated}>
        <span aria-hidden="true">{user ? user.username.slice(0, 2).toUpperCase() : <SchemeIcon />}</span>
        <span className="visually-hidden">{user ? t('nav.accountOf', { name: user.username }) : t('nav.preferences')}</span>
      </button>
      <div id="preferences" popover="auto" className="menu">
        {hydrated && <Choices user={user} />}
      </div>
    </>
  )
}

/**
 * Shows the color scheme. CSS selects the icon, because the server doesn't know the system's
 * scheme.
 */
function SchemeIcon() {
  return (
    <>
      <Icon name="sun" />
      <Icon name="moon" />
    </>
  )
}

function Choices({ user }: { user: UserDTO | null }) {
  const { t } = useTranslation()
  return (
    <>
      {user && (
        <p className="menu-head">
          <strong>{user.username}</strong>
          <span className="soft">{user.email}</span>
        </p>
      )}
      {user && (
        <div className="menu-group">
          <MenuLink href="/account" icon="user" label={t('nav.account')} />
          {user.isAdmin && <MenuLink href="/admin" icon="settings" label={t('nav.admin')} />}
        </div>
      )}
      <ColorSchemes />
      <Languages />
      {user && <SignOut />}
    </>
  )
}

function MenuLink({ href, icon, label }: { href: string; icon: IconName; label: string }) {
  return (
    <Link href={href} className="menu-item" onClick={(event) => event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()}>
      <Icon name={icon} size={18} />
      {label}
    </Link>
  )
}

function ColorSchemes() {
  const { t } = useTranslation()
  const { chosen } = useColorScheme()
  return (
    <Choice id="scheme-label" label={t('scheme.label')}>
      {schemes.map(({ scheme, icon }) => (
        <button key={scheme} type="button" className="menu-item" aria-pressed={chosen === scheme} onClick={() => chooseColorScheme(scheme)}>
          <Icon name={icon} size={18} />
          {t(`scheme.${scheme}`)}
        </button>
      ))}
    </Choice>
  )
}

function Languages() {
  const { t } = useTranslation()
  const notify = useNotify()
  if (start.languages.length < 2) return null
  return (
    <Choice id="language-label" label={t('language.label')}>
      <div className="menu-scroll">
        {start.languages.map(({ code, name }) => (
          <button
            key={code}
            type="button"
            className="menu-item"
            lang={code}
            aria-pressed={code === start.language}
            onClick={() => chooseLanguage(code).catch(notify.error)}
          >
            {name}
          </button>
        ))}
      </div>
    </Choice>
  )
}

function Choice({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout
    <div className="menu-group" role="group" aria-labelledby={id}>
      <p className="menu-label" id={id}>
        {label}
      </p>
      {children}
    </div>
  )
}

function SignOut() {
  const { t } = useTranslation()
  const notify = useNotify()
  return (
    <div className="menu-group">
      <button type="button" className="menu-item" onClick={() => signOut().catch(notify.error)}>
        <Icon name="signOut" size={18} />
        {t('nav.signOut')}
      </button>
    </div>
  )
}
