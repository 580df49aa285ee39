import type { SharePage } from '../../src/shares/contract.ts'
import { start } from '../start.ts'
import { useHydrated } from './hydration.tsx'
import { local } from './storage.ts'

/**
 * Returns the id of a share if it is the user's own, also where the page was opened by another link;
 * null for its other visitors. A share is the user's own if they created it, or if it was created in
 * this browser without an account, which the server may not know.
 */
export function useOwnId({ id, creator }: Pick<SharePage, 'id' | 'creator'>): string | null {
  const hydrated = useHydrated()
  const { share } = start
  if (share?.access === 'granted' && share.share.id === id && share.ownId !== undefined) return share.ownId
  const isOwn = creator ? creator.username === start.user?.username : hydrated && local.get(entryOf(id)) !== null
  return isOwn ? id : null
}

/** Records in this browser that a share was created here without an account. */
export function rememberOwn(id: string): void {
  local.set(entryOf(id), 'true')
}

const entryOf = (id: string) => `own:${id}`
