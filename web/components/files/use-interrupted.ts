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
 * files that belong to none. Changed files of one are refused with a notice.
 */
export function useResume(interrupted: readonly InterruptedUpload[]) {
  const { t } = useTranslation()
  const notify = useNotify()
  return async (sources: readonly FileSource[]): Promise<boolean> => {
    const [first] = sources
    if (!first) return true
    try {
      const resumed = await resumeFirst(interrupted, sources)
      if (resumed !== false) return resumed ?? false
    } catch (error) {
      notify.error(error)
      return true
    }
    const changed = interrupted.some((upload) => areNamesakes(upload, sources))
    if (changed) notify.warning(t('upload.notSameFile', { name: showInvisible(first.name) }))
    return changed
  }
}

/**
 * Resumes the first upload that needs some of the files. Returns whether there is one; null if the
 * user has discarded it or chosen other files meanwhile.
 *
 * @throws {ShownError} as `resumeWith`
 * @throws {ApiError}
 */
export async function resumeFirst(interrupted: readonly InterruptedUpload[], sources: readonly FileSource[]): Promise<boolean | null> {
  for (const upload of interrupted) {
    const matched = await resumeWith(upload, sources)
    if (matched !== 0) return matched === null ? null : true
  }
  return false
}
