import type { UploadState } from '../../../uploader/types.ts'
import type { Uploader } from '../../../uploader/uploader.ts'
import { holdUpload } from './tab-presence.ts'
import { WakeLock } from './wake-lock.ts'

const ended = new Set<UploadState>(['completed', 'cancelled'])

/**
 * Looks after an upload until it ends: the screen stays on while bytes flow, what slept is woken, and closing the tab asks first. Pages
 * inside the application may come and go.
 */
export function keepAwake(uploader: Uploader): void {
  const over = new AbortController()
  const { signal } = over
  const wakeLock = new WakeLock()
  const release = holdUpload(uploader.shareId)
  const wake = () => {
    if (document.visibilityState !== 'visible') return
    uploader.wake()
    wakeLock.set(uploader.getSnapshot().state === 'running')
  }
  document.addEventListener('visibilitychange', wake, { signal })
  addEventListener('pageshow', wake, { signal })
  addEventListener('online', () => uploader.wake(), { signal })
  addEventListener('beforeunload', (event) => event.preventDefault(), { signal })
  uploader.on('state', (state) => {
    wakeLock.set(state === 'running' || state === 'finishing')
    if (!ended.has(state)) return
    over.abort()
    release()
  })
}
