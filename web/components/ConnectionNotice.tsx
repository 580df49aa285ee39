import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from './Icon.tsx'
import './connection-notice.css'

const shownFor = 4_000 // ms

/** Shows a notice while the browser is offline, and a short one when it is online again. */
export function ConnectionNotice() {
  const { t } = useTranslation()
  const [notice, setNotice] = useState<'offline' | 'online' | null>(null)
  useEffect(() => {
    const handleOffline = () => setNotice('offline')
    const handleOnline = () => setNotice('online')
    if (!navigator.onLine) handleOffline()
    addEventListener('offline', handleOffline)
    addEventListener('online', handleOnline)
    return () => {
      removeEventListener('offline', handleOffline)
      removeEventListener('online', handleOnline)
    }
  }, [])
  useEffect(() => {
    if (notice !== 'online') return
    const timer = setTimeout(() => setNotice(null), shownFor)
    return () => clearTimeout(timer)
  }, [notice])
  return (
    <div className="connection-notice" role="status">
      {notice && (
        <span key={notice}>
          <Icon name={notice === 'offline' ? 'offline' : 'check'} size={18} />
          {t(notice === 'offline' ? 'offline.now' : 'offline.back')}
        </span>
      )}
    </div>
  )
}
