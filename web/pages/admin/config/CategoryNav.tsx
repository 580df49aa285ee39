import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Icon } from '../../../components/Icon.tsx'
import type { IconName } from '../../../components/icon-paths.ts'
import { type Category, categories, categoryOf } from './groups.ts'

const icons: Record<Category, IconName> = { general: 'globe', share: 'link', email: 'mail', smtp: 'server', oauth: 'user' }

interface Props {
  /** Null while search results are shown. */
  current: Category | null
  /** The keys of the settings with unsaved changes. */
  changed: string[]
  onOpen(): void
}

/** The navigation between the categories of settings. */
export function CategoryNav({ current, changed, onOpen }: Props) {
  const { t } = useTranslation()
  const nav = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each change of the category
  useEffect(() => scrollToCurrent(nav.current), [current])
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

/**
 * Scrolls the current category to the middle on a phone, where the categories are a scrolling row.
 */
function scrollToCurrent(nav: HTMLElement | null): void {
  const current = nav?.querySelector<HTMLElement>('[aria-current]')
  if (nav && current) nav.scrollLeft += current.getBoundingClientRect().left - (nav.clientWidth - current.clientWidth) / 2
}
