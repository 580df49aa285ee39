import { notification } from 'antd'
import { type ReactNode, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../lib/error-text.ts'
import { NotifyContext } from '../lib/notify.tsx'

const maxShown = 5
const duration = 4 // seconds

interface Notice {
  type: 'success' | 'info' | 'warning' | 'error'
  text: string
}

/**
 * Shows notices at the bottom right, five at a time. Each closes after four seconds unless the
 * pointer is over it.
 */
export function NotifyProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const [notices, holder] = notification.useNotification({ placement: 'bottomRight', duration, pauseOnHover: true, stack: false })
  const latest = useRef(notices)
  latest.current = notices // changes with the theme
  const waiting = useRef<Notice[]>([])
  const shown = useRef(0)

  const notify = useMemo(() => {
    const show = ({ type, text }: Notice) => {
      shown.current++
      latest.current[type]({ title: text, role: type === 'error' ? 'alert' : 'status', onClose: next })
    }
    const next = () => {
      shown.current--
      const notice = waiting.current.shift()
      if (notice) show(notice)
    }
    const add = (notice: Notice) => (shown.current < maxShown ? show(notice) : waiting.current.push(notice))
    const of = (type: Notice['type']) => (text: string) => void add({ type, text })
    return { success: of('success'), info: of('info'), warning: of('warning'), error: (error: unknown) => of('error')(errorText(t, error)) }
  }, [t])

  return (
    <NotifyContext value={notify}>
      {holder}
      {children}
    </NotifyContext>
  )
}
