import type { UserDTO } from '../../src/users/contract.ts'
import { start } from '../start.ts'
import { address } from './address.ts'
import { local } from './storage.ts'

const checkEvery = 120_000 // ms
const refreshWithin = 120_000 // ms
const expiryKey = 'accessTokenExpiresAt'

let refreshing: Promise<boolean> | null = null

/** Returns whether this browser has a session. Its access token may have expired. */
export function hasSession(): boolean {
  return local.get(expiryKey) !== null
}

/**
 * Restores the session before the first page is shown. If the page has no user but this browser was
 * signed in,
 * the access token may have expired: it is refreshed, and the user is loaded.
 * Returns whether it loaded a user whom the server did not see.
 */
export async function resumeSession(): Promise<boolean> {
  if (start.user) {
    remember(start.accessTokenExpiresAt ?? new Date().toISOString())
  } else if (hasSession() && start.settings && (await refreshSession())) {
    const response = await fetch(address('/api/users/me')).catch(() => null)
    if (!response?.ok) return false
    start.user = (await response.json()) as UserDTO
    return true
  }
  return false
}

/** Refreshes the access token before it expires, while the page is open. */
export function keepSession(): void {
  setInterval(() => {
    if (hasSession() && expiresAt() - Date.now() < refreshWithin) void refreshSession()
  }, checkEvery)
}

/**
 * Gets a new access token, one call at a time over all tabs. Returns false if the session has ended
 * or the server can't be reached.
 */
export function refreshSession(): Promise<boolean> {
  refreshing ??= queued(refresh).finally(() => {
    refreshing = null
  })
  return refreshing
}

/** Removes the session from this browser's storage; the server deletes the cookies. */
export function forgetSession(): void {
  local.remove(expiryKey)
}

/**
 * Web Locks exist in secure contexts only. Without them, the server's grace period for parallel
 * tabs prevents conflicts.
 */
function queued(work: (previousExpiry: number) => Promise<boolean>): Promise<boolean> {
  const previousExpiry = expiresAt()
  return navigator.locks ? navigator.locks.request('refresh-session', () => work(previousExpiry)) : work(previousExpiry)
}

async function refresh(previousExpiry: number): Promise<boolean> {
  if (expiresAt() > previousExpiry) return true // another tab refreshed it while this one waited
  const response = await fetch(address('/api/auth/token'), { method: 'POST' }).catch(() => null)
  if (response?.ok) {
    remember(((await response.json()) as { expiresAt: string }).expiresAt)
    return true
  }
  console.info('refresh token invalid or expired')
  if (response?.status === 401) forgetSession()
  return false
}

function expiresAt(): number {
  return Date.parse(local.get(expiryKey) ?? '') || 0
}

function remember(time: string): void {
  local.set(expiryKey, time)
}

/**
 * Refreshes the session for an upload. Returns false if the user must sign in again.
 *
 * @throws {Error} If the server can't be reached.
 */
export async function renewSession(): Promise<boolean> {
  if (await refreshSession()) return true
  if (hasSession()) throw new Error('The server cannot be reached')
  return false
}
