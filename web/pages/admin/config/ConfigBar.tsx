import { Input } from 'antd'
import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../components/Icon.tsx'
import { address } from '../../../lib/address.ts'

interface Props {
  search: string
  onSearch(text: string): void
  onBack(): void
}

/** The bar with a link back and the search over all settings. It replaces the header. */
export function ConfigBar({ search, onSearch, onBack }: Props) {
  const { t } = useTranslation()
  const back = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return // opens another tab
    event.preventDefault()
    onBack()
  }
  return (
    <header className="header config-bar">
      <div className="header-bar">
        <a href={address('/admin')} className="config-back place" onClick={back}>
          <Icon name="back" />
          {t('config.back')}
        </a>
        <Input
          className="config-search"
          type="search"
          autoComplete="off"
          value={search}
          allowClear
          prefix={<Icon name="search" size={18} />}
          placeholder={t('config.search')}
          aria-label={t('config.search')}
          onChange={(event) => onSearch(event.target.value)}
        />
      </div>
    </header>
  )
}
