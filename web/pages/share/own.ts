import type { SharePage } from '../../../src/shares/contract.ts'
import { start } from '../../start.ts'
import { local } from '../../storage.ts'

/** Whether the share is this user's, or was made in this browser without an account. */
export function isOwn({ id, creator }: Pick<SharePage, 'id' | 'creator'>): boolean {
  return creator ? creator.username === start.user?.username : local.get(entryOf(id)) !== null
}

/** Remembers a share that was made without an account: whose it is the page cannot know otherwise. */
export function rememberOwn(id: string): void {
  local.set(entryOf(id), 'true')
}

const entryOf = (id: string) => `own:${id}`
