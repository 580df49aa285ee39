import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { mayUpload } from '../lib/access.ts'
import { useHydrated } from '../lib/hydration.tsx'
import { logoAddress } from '../lib/logo.ts'
import { settings, start } from '../start.ts'
import { Icon } from './Icon.tsx'
import { PreferencesMenu } from './PreferencesMenu.tsx'
import { UploadRing } from './UploadRing.tsx'

interface NavLink {
  path: string
  label: string
  isPrimary?: boolean
}

/** The bar at the top of every page. On a narrow screen its links fold into a menu. */
export function Header() {
  const { t } = useTranslation()
  const [path] = useLocation()
  const [open, setOpen] = useState(false)
  const hydrated = useHydrated()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes at each change of the path
  useEffect(() => setOpen(false), [path])
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [])

  return (
    <header className="header">
      <div className="header-bar">
        <Link href="/" className="brand">
          <img src={logoAddress(settings['general.logo'])} alt="" width="34" height="34" fetchPriority="low" />
          <span>{settings['general.appName']}</span>
        </Link>
        <nav id="places" className={open ? 'places places-open' : 'places'} aria-label={t('nav.label')}>
          {navLinks(t).map(({ path: to, label, isPrimary }) => (
            <Link key={to} href={to} className={isPrimary ? 'place place-strong' : 'place'} aria-current={path === to ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <UploadRing />
        <PreferencesMenu />
        <button
          type="button"
          className="icon-button burger"
          disabled={!hydrated}
          aria-expanded={open}
          aria-controls="places"
          aria-label={t('nav.menu')}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'close' : 'menu'} size={24} />
        </button>
      </div>
    </header>
  )
}

function navLinks(t: (key: string) => string): NavLink[] {
  const upload = mayUpload() ? [{ path: '/upload', label: t('nav.upload') }] : []
  if (start.user) {
    return [
      ...upload,
      { path: '/account/shares', label: t('nav.myShares') },
      { path: '/account/reverseShares', label: t('nav.reverseShares') },
    ]
  }
  const home = settings['general.showHomePage'] ? [{ path: '/', label: t('nav.home') }] : []
  const signUp = settings['share.allowRegistration'] ? [{ path: '/auth/signUp', label: t('auth.signUp'), isPrimary: true }] : []
  return [...home, ...upload, { path: '/auth/signIn', label: t('auth.signIn') }, ...signUp]
}
