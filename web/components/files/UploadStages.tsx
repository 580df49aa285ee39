import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { takeKeptFiles } from '../../lib/upload/kept-files.ts'
import { useAwayNotices } from './away-notices.ts'
import { ResumingView } from './ResumingView.tsx'
import { UploadingView } from './UploadingView.tsx'
import { type Destination, type PickedFile, useSession } from './upload-session.ts'
import { useChoose } from './use-files.ts'
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
  useKeptFiles(destination)
  useFocusAtChange('files' in session && session.files.length > 0 ? 'chosen' : session.phase)
  if (session.phase === 'uploading') return <UploadingView upload={session} />
  if (session.phase === 'resuming') return <ResumingView resuming={session} />
  return children(session.files)
}

/** Chooses the files that the user dropped before signing in. */
function useKeptFiles(destination: Destination): void {
  const choose = useChoose()
  const chooseKept = useEffectEvent(async () => {
    const files = await takeKeptFiles()
    if (files.length > 0) choose(files, destination)
  })
  useEffect(() => {
    if (destination === null) void chooseKept()
  }, [destination])
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
