import { notification } from 'antd'
import { type ReactNode, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { undoFor } from '../../src/shares/limits.ts'
import { errorText } from '../lib/error-text.ts'
import { NotifyContext } from '../lib/notify.tsx'

const maxShown = 5
const duration = 4 // seconds
const undoDuration = undoFor / 1000 - 2 // seconds; the request takes time

interface Notice {
  type: 'success' | 'info' | 'warning' | 'error'
  text: string
  undo?: () => Promise<unknown>
}

/**
 * Shows notices at the bottom right, five at a time. Each closes after four seconds unless the
 * pointer is over it, and after 28 seconds if it can undo something.
 */
export function NotifyProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const [notices, holder] = notification.useNotification({ placement: 'bottomRight', duration, pauseOnHover: true, stack: false })
  const latest = useRef(notices)
  latest.current = notices // changes with the theme
  const waiting = useRef<Notice[]>([])
  const shown = useRef(0)
  const lastKey = useRef(0)

  const notify = useMemo(() => {
    const show = ({ type, text, undo }: Notice) => {
      shown.current++
      const key = `notice-${++lastKey.current}`
      const close = () => latest.current.destroy(key)
      latest.current[type]({
        key,
        title: text,
        role: type === 'error' ? 'alert' : 'status',
        onClose: next,
        ...(undo && { duration: undoDuration, actions: <UndoButton undo={undo} onClick={close} onError={error} /> }),
      })
    }
    const next = () => {
      shown.current--
      const notice = waiting.current.shift()
      if (notice) show(notice)
    }
    const add = (notice: Notice) => (shown.current < maxShown ? show(notice) : waiting.current.push(notice))
    const of = (type: Notice['type']) => (text: string) => void add({ type, text })
    const error = (error: unknown) => of('error')(errorText(t, error))
    const undoable = (text: string, undo: Notice['undo']) => void add({ type: 'success', text, undo })
    return { success: of('success'), info: of('info'), warning: of('warning'), error, undoable }
  }, [t])

  return (
    <NotifyContext value={notify}>
      {holder}
      {children}
    </NotifyContext>
  )
}

interface UndoProps {
  undo(): Promise<unknown>
  onClick(): void
  onError(error: unknown): void
}

function UndoButton({ undo, onClick, onError }: UndoProps) {
  const { t } = useTranslation()
  const click = () => {
    onClick()
    undo().catch(onError)
  }
  // antd's button would be loaded on every page
  return (
    <button type="button" className="button" onClick={click}>
      {t('common.undo')}
    </button>
  )
}
