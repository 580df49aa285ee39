import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ConnectionNotice } from './ConnectionNotice.tsx'
import { Footer } from './Footer.tsx'
import { Header } from './Header.tsx'

/** The shell of every page. */
export function Layout({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <>
      <a className="skip-link" href="#content">
        {t('nav.skip')}
      </a>
      <Header />
      <ConnectionNotice />
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </>
  )
}
