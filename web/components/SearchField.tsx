import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { Icon } from './Icon.tsx'

interface Props {
  /** What is searched, for screen readers. */
  label: string
  value: string
  onChange(value: string): void
  className?: string
}

/** The field above a list that searches it while the user types. */
export function SearchField({ label, value, onChange, className }: Props) {
  const { t } = useTranslation()
  return (
    <Input
      className={className}
      type="search"
      value={value}
      allowClear
      autoComplete="off"
      prefix={<Icon name="search" size={18} />}
      placeholder={t('common.search')}
      aria-label={label}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
