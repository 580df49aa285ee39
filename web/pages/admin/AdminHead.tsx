import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Icon } from '../../components/Icon.tsx'

interface Props {
  title: string
  text?: string
  children?: ReactNode
}

/** The head of an administration page, with a link back to the start of the administration. */
export function AdminHead({ title, text, children }: Props) {
  const { t } = useTranslation()
  return (
    <header className="admin-head toolbar">
      <div className="admin-head-words">
        <Link href="/admin" className="admin-back line">
          <Icon name="back" size={18} />
          {t('admin.title')}
        </Link>
        <h1>{title}</h1>
        {text && <p className="soft">{text}</p>}
      </div>
      {children}
    </header>
  )
}
