import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { InterruptedUpload } from '../../../uploader/journal.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { useNotify } from '../../lib/notify.tsx'
import { areNamesakes, type Destination, findInterrupted, resumeWith } from './upload-session.ts'

const interruptedUploads = 'interrupted-uploads'

/** Loads the interrupted uploads of this browser to a destination. */
export function useInterrupted(destination: Destination) {
  const queries = useQueryClient()
  const queryKey = [interruptedUploads, destination]
  const { data: interrupted = [], isPending } = useQuery({ queryKey, queryFn: () => findInterrupted(destination), gcTime: 0 })
  return { interrupted, isPending, forget: () => queries.invalidateQueries({ queryKey }) }
}

/**
 * Returns a function that resumes an interrupted upload with chosen files. It returns false for
 * files that belong to none. Changed files of one are refused with a warning.
 */
export function useResume(interrupted: readonly InterruptedUpload[]) {
  const { t } = useTranslation()
  const notify = useNotify()
  return (sources: readonly FileSource[]): boolean => {
    const [first] = sources
    if (!first || interrupted.some((upload) => resumeWith(upload, sources) > 0)) return true
    const changed = interrupted.some((upload) => areNamesakes(upload, sources))
    if (changed) notify.warning(t('upload.notSameFile', { name: showInvisible(first.name) }))
    return changed
  }
}
