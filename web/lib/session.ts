import type { UserDTO } from '../../src/users/contract.ts'
import { start } from '../start.ts'
import { local } from './storage.ts'

const checkEvery = 120_000 // ms
const refreshWithin = 120_000 // ms
const expiryKey = 'accessTokenExpiresAt'

let refreshing: Promise<boolean> | null = null

/** Whether this browser is signed in as far as it knows; its access token may have run out. */
export function hasSession(): boolean {
  return local.get(expiryKey) !== null
}

/**
 * Takes over what the server said of the session, before the first page is shown. Where it saw no user but this browser was signed in, the access
 * token may have expired: it is refreshed and the user asked for. Returns whether there is a user whom the server did not see.
 */
export async function resumeSession(): Promise<boolean> {
  if (start.user) {
    remember(start.accessTokenExpiresAt ?? new Date().toISOString())
  } else if (hasSession() && start.settings && (await refreshSession())) {
    const response = await fetch('/api/users/me').catch(() => null)
    if (!response?.ok) return false
    start.user = (await response.json()) as UserDTO
    return true
  }
  return false
}

/** Renews the access token in time, as long as the page is open. */
export function keepSession(): void {
  setInterval(() => {
    if (hasSession() && expiresAt() - Date.now() < refreshWithin) void refreshSession()
  }, checkEvery)
}

/** Gets a new access token; false when the session has ended or the server cannot be reached. One call at a time, over all tabs. */
export function refreshSession(): Promise<boolean> {
  refreshing ??= queued(refresh).finally(() => {
    refreshing = null
  })
  return refreshing
}

/** Leaves no trace of the session in this browser; the cookies are the server's. */
export function forgetSession(): void {
  local.remove(expiryKey)
}

/** Web Locks exist in secure contexts only; without them the server's grace for parallel tabs has to do. */
function queued(work: (known: number) => Promise<boolean>): Promise<boolean> {
  const known = expiresAt()
  return navigator.locks ? navigator.locks.request('refresh-session', () => work(known)) : work(known)
}

async function refresh(known: number): Promise<boolean> {
  if (expiresAt() > known) return true // another tab did it while this one waited
  const answer = await fetch('/api/auth/token', { method: 'POST' }).catch(() => null)
  if (answer?.ok) {
    remember(((await answer.json()) as { expiresAt: string }).expiresAt)
    return true
  }
  console.info('Refresh token invalid or expired')
  if (answer?.status === 401) forgetSession()
  return false
}

function expiresAt(): number {
  return Date.parse(local.get(expiryKey) ?? '') || 0
}

function remember(time: string): void {
  local.set(expiryKey, time)
}

/** The session renewed for an upload: false when the user must sign in again; rejects when the server cannot be reached. */
export async function renewSession(): Promise<boolean> {
  if (await refreshSession()) return true
  if (hasSession()) throw new Error('The server cannot be reached')
  return false
}
