import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, Redirect } from 'wouter'
import { Icon } from '../../components/Icon.tsx'
import type { IconName } from '../../components/icon-paths.ts'
import { LinkedText } from '../../components/LinkedText.tsx'
import { Razorbill } from '../../components/Razorbill.tsx'
import { landing, mayUpload } from '../../lib/access.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { settings, start } from '../../start.ts'
import './home.css'

const bullets: { name: string; icon: IconName }[] = [
  { name: 'selfHosted', icon: 'monitor' },
  { name: 'private', icon: 'lock' },
  { name: 'noLimit', icon: 'archive' },
]

/** Introduces the product to visitors. */
export function HomePage() {
  const { t } = useTranslation()
  usePageTitle()
  if (start.user) return <Redirect to={landing()} replace />
  if (!settings['general.showHomePage']) return <Redirect to="/upload" replace />
  return (
    <div className="home">
      <div>
        <h1>{t('home.title')}</h1>
        <Welcome />
        <ul className="home-bullets stack">
          {bullets.map(({ name, icon }) => (
            <li key={name}>
              <span className="tile tile-large">
                <Icon name={icon} size={22} />
              </span>
              <span>
                <strong>{t(`home.${name}.title`)}</strong>
                <span className="soft">{t(`home.${name}.text`)}</span>
              </span>
            </li>
          ))}
        </ul>
        <div className="actions">
          <Link href={firstStep()} asChild>
            <Button type="primary" size="large">
              {t('home.getStarted')}
            </Button>
          </Link>
        </div>
      </div>
      <Razorbill className="home-picture" files={4} />
    </div>
  )
}

/** The administrator's welcome, or a sentence about the product. */
function Welcome() {
  const { t } = useTranslation()
  const welcome = settings['general.welcomeText']
  if (welcome) return <LinkedText text={welcome} className="home-description home-welcome" />
  return <p className="home-description">{t('home.description', { name: settings['general.appName'] })}</p>
}

function firstStep(): string {
  if (mayUpload()) return '/upload'
  return settings['share.allowRegistration'] ? '/auth/signUp' : '/auth/signIn'
}
