import type { UploadState } from '../../../uploader/types.ts'
import type { Uploader } from '../../../uploader/uploader.ts'
import { holdUpload } from './tab-presence.ts'
import { WakeLock } from './wake-lock.ts'

const sending = new Set<UploadState>(['running', 'pausing', 'finishing'])
const endStates = new Set<UploadState>(['completed', 'cancelled'])

/**
 * Keeps an upload running until it ends, on whatever page of the application.
 * The screen stays on, a sleeping upload is woken, and closing the tab asks for confirmation.
 */
export function keepAwake(uploader: Uploader): void {
  const listeners = new AbortController()
  const { signal } = listeners
  const wakeLock = new WakeLock()
  const release = holdUpload(uploader.shareId)
  const wake = () => {
    if (document.visibilityState !== 'visible') return
    uploader.wake()
    wakeLock.set(sending.has(uploader.getSnapshot().state))
  }
  document.addEventListener('visibilitychange', wake, { signal })
  addEventListener('pageshow', wake, { signal })
  addEventListener('online', () => uploader.wake(), { signal })
  addEventListener('beforeunload', (event) => event.preventDefault(), { signal })
  uploader.on('state', (state) => {
    wakeLock.set(sending.has(state))
    if (!endStates.has(state)) return
    listeners.abort()
    release()
  })
}
