import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useRoute } from 'wouter'
import { ConnectionNotice } from './ConnectionNotice.tsx'
import { Header } from './Header.tsx'

/** The shell of every page. The configuration page has its own bar instead of the header. */
export function Layout({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const [bare] = useRoute('/admin/config/:category')
  return (
    <>
      <a className="skip-link" href="#content">
        {t('nav.skip')}
      </a>
      {!bare && <Header />}
      <ConnectionNotice />
      <main id="content" className={bare ? 'content-bare' : 'content'} tabIndex={-1}>
        {children}
      </main>
      {!bare && <footer className="footer">{t('footer.line')}</footer>}
    </>
  )
}
