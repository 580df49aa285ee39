import { type ReactNode, useEffect, useRef } from 'react'
import { useAwayNotices } from './away-notices.ts'
import { ResumingView } from './ResumingView.tsx'
import { UploadingView } from './UploadingView.tsx'
import { type PickedFile, type Place, useSession } from './upload-session.ts'
import './files.css'

interface Props {
  place: Place
  /** The page while files are chosen. */
  children(files: readonly PickedFile[]): ReactNode
}

/** Choose files, pick those again that an interruption lost, watch them go. */
export function UploadStages({ place, children }: Props) {
  const session = useSession(place)
  useAwayNotices()
  useFocusAtChange('files' in session && session.files.length > 0 ? 'chosen' : session.phase)
  if (session.phase === 'uploading') return <UploadingView upload={session} />
  if (session.phase === 'resuming') return <ResumingView resuming={session} />
  return children(session.files)
}

/** What had the focus is gone with the view before: the keyboard and screen readers start at the new one. */
function useFocusAtChange(phase: string): void {
  const shown = useRef(phase)
  useEffect(() => {
    if (shown.current !== phase) document.getElementById('content')?.focus({ preventScroll: true })
    shown.current = phase
  }, [phase])
}
