import { type ReactNode, useEffect, useRef } from 'react'
import { useAwayNotices } from './away-notices.ts'
import { ResumingView } from './ResumingView.tsx'
import { UploadingView } from './UploadingView.tsx'
import { type Destination, type PickedFile, useSession } from './upload-session.ts'
import './files.css'

interface Props {
  destination: Destination
  /** Renders the page while the user chooses files. */
  children(files: readonly PickedFile[]): ReactNode
}

/** Shows the current stage of an upload: choosing files, resuming, or uploading. */
export function UploadStages({ destination, children }: Props) {
  const session = useSession(destination)
  useAwayNotices()
  useFocusAtChange('files' in session && session.files.length > 0 ? 'chosen' : session.phase)
  if (session.phase === 'uploading') return <UploadingView upload={session} />
  if (session.phase === 'resuming') return <ResumingView resuming={session} />
  return children(session.files)
}

/**
 * Moves the focus to the content when the stage changes, because the focused element was removed.
 */
function useFocusAtChange(phase: string): void {
  const shown = useRef(phase)
  useEffect(() => {
    if (shown.current !== phase) document.getElementById('content')?.focus({ preventScroll: true })
    shown.current = phase
  }, [phase])
}
