import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { canNotify, setNotification, wantsNotification } from '../../lib/upload/done-notification.ts'

/** Turns the notification at the end of an upload on and off, where the browser can show one. */
export function NotifyButton() {
  const { t } = useTranslation()
  const [on, setOn] = useState(wantsNotification)
  if (!canNotify()) return null
  return (
    <Button type="text" className="notify-button" aria-pressed={on} onClick={async () => setOn(await setNotification(!on))}>
      {t(on ? 'upload.notifyOn' : 'upload.notify')}
    </Button>
  )
}
