import type { UploadState } from '../../../uploader/types.ts'
import type { Uploader } from '../../../uploader/uploader.ts'
import { reportProgress } from '../upload-progress.ts'
import { notifyState } from './done-notification.ts'
import { fractionOf } from './fraction.ts'
import { holdUpload } from './tab-presence.ts'
import { showProgressInTab } from './tab-progress.ts'
import { WakeLock } from './wake-lock.ts'

const sending = new Set<UploadState>(['running', 'pausing', 'finishing'])
const endStates = new Set<UploadState>(['completed', 'cancelled'])

/**
 * Keeps an upload running until it ends, on whatever page of the application.
 * The screen stays on, a sleeping upload is woken, and closing the tab asks for confirmation. The
 * header and the tab show the progress and lead to `path`, and at its end to `donePath`.
 */
export function keepAwake(uploader: Uploader, path: string, donePath = path): void {
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
  const report = () => {
    const snapshot = uploader.getSnapshot()
    const { state } = snapshot
    const percent = Math.floor(fractionOf(snapshot) * 100)
    reportProgress(uploader.shareId, state === 'cancelled' ? null : { path: state === 'completed' ? donePath : path, state, percent })
  }
  showProgressInTab()
  const stopReporting = uploader.subscribe(report)
  uploader.on('state', (state) => {
    void notifyState(state)
    wakeLock.set(sending.has(state))
    if (!endStates.has(state)) return
    listeners.abort()
    release()
    report()
    stopReporting()
  })
}
