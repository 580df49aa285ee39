import { useSyncExternalStore } from 'react'
import type { UserDTO } from '../../src/users/contract.ts'
import { start } from '../start.ts'

const listeners = new Set<() => void>()

/** Who is signed in, as they have changed themselves since the page was loaded; null for a visitor. */
export function useOwnUser(): UserDTO | null {
  const ownUser = () => start.user
  return useSyncExternalStore(subscribe, ownUser, ownUser)
}

/** Shows everywhere on the page what the signed-in user has changed of themselves. */
export function changeOwnUser(changes: Partial<UserDTO>): void {
  if (!start.user) return
  start.user = { ...start.user, ...changes }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
