import { useCallback } from 'react'
import { useSearchParams } from 'wouter'
import type { SharedFile } from '../../../src/shares/contract.ts'
import { useHydrated } from '../../lib/hydration.tsx'
import { parentOf } from './folders.ts'

/** History state of a viewer that was opened from the list, so that closing it goes back. */
const fromList = 'from the list'

/**
 * Returns the folder in the page's address and the file that the viewer shows. The link of a file
 * names no folder, so that it reveals nothing: then the folder is the one of the file.
 */
export function useViewedFile(files: readonly SharedFile[]) {
  const [params, setParams] = useSearchParams()
  const hydrated = useHydrated()
  const id = params.get('preview')
  const viewed = (hydrated && id !== null && files.find((file) => file.id === id)) || null
  const folder = params.get('folder') ?? (viewed ? parentOf(viewed.name) : '')
  const view = useCallback(
    ({ id }: SharedFile) => setParams({ ...folderParams(folder), preview: id }, { state: fromList }),
    [setParams, folder],
  )
  return {
    viewed,
    folder,
    view,
    step: ({ id }: SharedFile) => setParams({ ...folderParams(folder), preview: id }, { replace: true, state: history.state }),
    close: () => (history.state === fromList ? history.back() : setParams(folderParams(folder), { replace: true })),
  }
}

function folderParams(path: string): Record<string, string> {
  return path === '' ? {} : { folder: path }
}
