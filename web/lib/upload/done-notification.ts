import i18next from 'i18next'
import type { UploadState } from '../../../uploader/types.ts'
import { address } from '../address.ts'
import { local } from '../storage.ts'

const entry = 'notifyWhenDone'
const texts: Partial<Record<UploadState, string>> = {
  completed: 'upload.completedTitle',
  stopped: 'upload.needsAttention',
  incomplete: 'upload.needsAttention',
}

/** Whether this browser can show notifications of the system and the user has not forbidden them. */
export function canNotify(): boolean {
  return 'Notification' in globalThis && isSecureContext && Notification.permission !== 'denied'
}

/** Whether the user wants to be notified and the browser allows it. */
export function wantsNotification(): boolean {
  return canNotify() && Notification.permission === 'granted' && local.get(entry) !== null
}

/**
 * Turns the notification on or off, and returns whether it is on. The browser asks the user for
 * permission, so this must be called from a click.
 */
export async function setNotification(on: boolean): Promise<boolean> {
  if (on) local.set(entry, 'true')
  else local.remove(entry)
  if (on && Notification.permission === 'default') await Notification.requestPermission()
  return wantsNotification()
}

/** Notifies a user who works elsewhere that an upload has ended or needs them. */
export async function notifyState(state: UploadState): Promise<void> {
  const text = texts[state]
  if (!text || !wantsNotification() || document.hasFocus()) return
  const options = { body: document.title, tag: 'upload', icon: address('/icons/192.png') }
  try {
    const notification = new Notification(i18next.t(text), options)
    notification.onclick = () => {
      window.focus()
      notification.close()
    }
  } catch {
    // Android allows notifications only through the service worker
    const worker = await navigator.serviceWorker?.getRegistration()
    await worker?.showNotification(i18next.t(text), options)
  }
}
