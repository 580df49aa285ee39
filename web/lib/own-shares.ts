import type { SharePage } from '../../src/shares/contract.ts'
import { start } from '../start.ts'
import { useHydrated } from './hydration.tsx'
import { local } from './storage.ts'

/** Returns whether the share is this user's, or was created in this browser without an account: the server cannot know that. */
export function useIsOwn({ id, creator }: Pick<SharePage, 'id' | 'creator'>): boolean {
  const hydrated = useHydrated()
  return creator ? creator.username === start.user?.username : hydrated && local.get(entryOf(id)) !== null
}

/** Remembers a share that was made without an account: whose it is the page cannot know otherwise. */
export function rememberOwn(id: string): void {
  local.set(entryOf(id), 'true')
}

const entryOf = (id: string) => `own:${id}`
