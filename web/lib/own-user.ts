import { useSyncExternalStore } from 'react'
import type { UserDTO } from '../../src/users/contract.ts'
import { start } from '../start.ts'

const listeners = new Set<() => void>()

/** Returns the signed-in user with the changes since the page was loaded, or null for a visitor. */
export function useOwnUser(): UserDTO | null {
  const ownUser = () => start.user
  return useSyncExternalStore(subscribe, ownUser, ownUser)
}

/** Shows changes of the signed-in user everywhere on the page. */
export function changeOwnUser(changes: Partial<UserDTO>): void {
  if (!start.user) return
  start.user = { ...start.user, ...changes }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
