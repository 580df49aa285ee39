import type { SharePage } from '../../src/shares/contract.ts'
import { start } from '../start.ts'
import { useHydrated } from './hydration.tsx'
import { local } from './storage.ts'

/**
 * Returns whether the share was created by this user, or in this browser without an account, which
 * the server can't know.
 */
export function useIsOwn({ id, creator }: Pick<SharePage, 'id' | 'creator'>): boolean {
  const hydrated = useHydrated()
  return creator ? creator.username === start.user?.username : hydrated && local.get(entryOf(id)) !== null
}

/** Records in this browser that a share was created here without an account. */
export function rememberOwn(id: string): void {
  local.set(entryOf(id), 'true')
}

const entryOf = (id: string) => `own:${id}`
