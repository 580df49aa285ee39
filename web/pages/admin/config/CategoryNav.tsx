import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Icon } from '../../../components/Icon.tsx'
import type { IconName } from '../../../components/icon-paths.ts'
import { type Category, categories, categoryOf } from './groups.ts'

const icons: Record<Category, IconName> = { general: 'globe', share: 'link', email: 'mail', smtp: 'server', oauth: 'user' }

interface Props {
  /** null: none, while a search is shown. */
  current: Category | null
  /** The keys of the settings that are changed and not saved. */
  changed: string[]
  onOpen(): void
}

/** Leads through the categories of the configuration. */
export function CategoryNav({ current, changed, onOpen }: Props) {
  const { t } = useTranslation()
  const nav = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of the category
  useEffect(() => showCurrent(nav.current!), [current])
  return (
    <nav ref={nav} className="config-nav stack" aria-label={t('config.categories')}>
      {categories.map((category) => {
        const count = changed.filter((key) => categoryOf(key) === category).length
        return (
          <Link
            key={category}
            href={`/admin/config/${category}`}
            className="config-place place line"
            aria-current={category === current ? 'page' : undefined}
            onClick={onOpen}
          >
            <Icon name={icons[category]} />
            {t(`config.category.${category}`)}
            {count > 0 && (
              <span className="config-place-changed">
                <span className="visually-hidden">{t('config.changes', { count })}</span>
              </span>
            )}
          </Link>
        )
      })}
    </nav>
  )
}

/** On a phone the categories are a row that scrolls: the current one comes to its middle. */
function showCurrent(nav: HTMLElement): void {
  const current = nav.querySelector<HTMLElement>('[aria-current]')
  if (current) nav.scrollLeft += current.getBoundingClientRect().left - (nav.clientWidth - current.clientWidth) / 2
}
