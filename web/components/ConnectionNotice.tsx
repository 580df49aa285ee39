import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from './Icon.tsx'
import './connection-notice.css'

const shownFor = 4_000 // ms

/** Says when the browser has lost its network, as long as that lasts, and when it is back. */
export function ConnectionNotice() {
  const { t } = useTranslation()
  const [said, setSaid] = useState<'now' | 'back' | null>(null)
  useEffect(() => {
    const lost = () => setSaid('now')
    const back = () => setSaid('back')
    if (!navigator.onLine) lost()
    addEventListener('offline', lost)
    addEventListener('online', back)
    return () => {
      removeEventListener('offline', lost)
      removeEventListener('online', back)
    }
  }, [])
  useEffect(() => {
    if (said !== 'back') return
    const timer = setTimeout(() => setSaid(null), shownFor)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <div className="connection-notice" role="status">
      {said && (
        <span key={said}>
          <Icon name={said === 'now' ? 'offline' : 'check'} size={18} />
          {t(said === 'now' ? 'offline.now' : 'offline.back')}
        </span>
      )}
    </div>
  )
}
