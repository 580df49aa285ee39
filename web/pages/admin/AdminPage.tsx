import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { System } from '../../../src/system/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import type { IconName } from '../../components/icon-paths.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { pages } from '../../routes.ts'
import { ReleaseNote } from './ReleaseNote.tsx'
import { systemState } from './system/state.ts'
import './admin.css'

interface Card {
  name: 'users' | 'config' | 'shares' | 'system'
  path: string
  /** The registered path of the page that it opens. */
  page: string
  icon: IconName
  text(t: TFunction, system: System | undefined): string
}

const cards: Card[] = [
  {
    name: 'users',
    path: '/admin/users',
    page: '/admin/users',
    icon: 'users',
    text: (t, system) => (system ? t('admin.card.usersText', counted(system.counts.users)) : ''),
  },
  {
    name: 'config',
    path: '/admin/config/general',
    page: '/admin/config/:category',
    icon: 'settings',
    text: (t) => t('admin.card.configText'),
  },
  {
    name: 'shares',
    path: '/admin/shares',
    page: '/admin/shares',
    icon: 'link',
    text: (t, system) =>
      system ? t('admin.card.sharesText', { ...counted(system.counts.shares), size: formatBytes(system.storage.files) }) : '',
  },
  { name: 'system', path: '/admin/system', page: '/admin/system', icon: 'pulse', text: systemText },
]

/** The start of the administration. */
export function AdminPage() {
  const { t } = useTranslation()
  usePageTitle(t('admin.title'))
  const { data: system } = useQuery(systemState)
  return (
    <section className="admin wide stack">
      <h1>{t('admin.title')}</h1>
      <ul className="admin-cards">
        {cards
          .filter(({ page }) => page in pages)
          .map(({ name, path, icon, text }) => (
            <li key={name}>
              <Link href={path} className="card admin-card line">
                <span className="admin-card-icon tile">
                  <Icon name={icon} size={24} />
                </span>
                <span className="admin-card-words words">
                  <strong>{t(`admin.card.${name}`)}</strong>
                  <span className="soft">{text(t, system)}</span>
                </span>
                <Icon name="chevron" />
              </Link>
            </li>
          ))}
      </ul>
      <ReleaseNote />
    </section>
  )
}

function systemText(t: TFunction, system: System | undefined): string {
  if (!system) return t('admin.card.systemText.loading')
  const { dependencies, jobs } = system
  if (!jobs || Object.values(dependencies).some(({ state }) => state === 'down')) return t('admin.card.systemText.down')
  const failed = jobs.counts.reduce((sum, { failed }) => sum + failed, 0)
  return failed > 0 ? t('admin.card.systemText.failed', counted(failed)) : t('admin.card.systemText.up')
}

/** Returns a number for the plural form of a text and as the text shows it. */
function counted(count: number): { count: number; number: string } {
  return { count, number: formatNumber(count) }
}
