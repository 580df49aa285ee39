import type { SharePage } from '../../../src/shares/contract.ts'
import { ApiError, api } from '../../api.ts'
import { session } from '../../lib/storage.ts'
import { start } from '../../start.ts'

/** When the page was loaded, in milliseconds since 1970. */
export const loadedAt = Date.now()

/** The share whose loading began before the application was ready. */
let preloaded: { id: string; share: Promise<SharePage> } | null = null

/**
 * Returns the share that the server has embedded in the page, if it has this ID. It may have
 * changed since.
 */
export function embeddedShare(id: string) {
  const share = start.share
  return share?.access === 'granted' && share.share.id === id ? share : undefined
}

/** Starts to load the share of the page before the application is ready. */
export function preloadShare(id: string): void {
  preloaded = { id, share: lacksKey(id) ? visitUnlessKeyMissing(id) : visitEmbeddedShare(id) }
  preloaded.share.catch(() => {}) // the page shows the error
}

/** Loads a share. The result of `preloadShare` is used once, because loading may count a view. */
export function loadShare(id: string): Promise<SharePage> {
  const share = preloaded?.id === id ? preloaded.share : visitUnlessKeyMissing(id)
  preloaded = null
  return share
}

/**
 * Unlocks a share in this browser, which counts a view.
 * @throws {ApiError} email_code_required: its recipient has not confirmed this device
 * @throws {ApiError} share_password_required, wrong_password: without the share's password
 * @throws {ApiError} share_max_views_exceeded: no view is left
 */
export async function unlockShare(id: string, password?: string): Promise<void> {
  await api('POST /api/shares/:id/token', { params: { id }, body: password === undefined ? {} : { password } })
  session.set(visitKey(id), 'true')
}

/**
 * Visits a share, but not an encrypted one that the visitor can't open yet: this would count a view.
 * @throws {ApiError} share_token_required: its key is missing, or the browser can't decrypt
 */
async function visitUnlessKeyMissing(id: string): Promise<SharePage> {
  if (lacksKey(id)) throw new ApiError('share_token_required', 403, { encrypted: true })
  return visitShare(id)
}

function lacksKey(id: string): boolean {
  const { share } = start
  const embedded = embeddedShare(id)
  const isLocked = embedded ? embedded.share.encrypted && !embedded.entered : share?.access === 'key' && share.id === id
  return isLocked && !isVisited(id) && !(globalThis.crypto?.subtle && /[#&]k=[\w-]{43}(&|$)/.test(location.hash))
}

/**
 * Visits the share that is embedded in the page. It needs no request if this tab has visited it
 * before, and if all files are embedded.
 */
async function visitEmbeddedShare(id: string): Promise<SharePage> {
  if (start.share?.access === 'password') throw new ApiError('share_password_required', 403, { encrypted: start.share.encrypted })
  if (start.share?.access === 'code') throw new ApiError('email_code_required', 403)
  const page = embeddedShare(id)
  if (!page) return visitShare(id)
  if (window.fileTaken) session.set(visitKey(id), 'true')
  else if (!isVisited(id) || !page.entered) {
    const refusal = await tryUnlock(id)
    if (refusal && !page.entered) throw refusal
  }
  return page.share.overview ? readShare(id) : page.share
}

/**
 * Visits a share. The first visit in a tab unlocks it, and a reload only reads it.
 * The owner, and a browser that has unlocked it earlier, need neither the password nor a free view.
 */
async function visitShare(id: string): Promise<SharePage> {
  if (isVisited(id)) {
    const share = await readShare(id).catch((error) => {
      if (!isLocked(error)) throw error
      return null // the unlock cookie has expired
    })
    if (share) return share
  }
  const refusal = await tryUnlock(id)
  return readShare(id).catch((error) => {
    throw refusal ?? error
  })
}

const readShare = (id: string) => api('GET /api/shares/:id', { params: { id } })

/**
 * Unlocks a share without a password. Returns an error that does not matter if the share was
 * unlocked earlier.
 */
async function tryUnlock(id: string): Promise<ApiError | null> {
  try {
    await unlockShare(id)
    return null
  } catch (error) {
    if (isLocked(error) || hasCode(error, 'share_max_views_exceeded')) return error as ApiError
    throw error
  }
}

function isLocked(error: unknown): boolean {
  return hasCode(error, 'share_password_required') || hasCode(error, 'share_token_required')
}

function hasCode(error: unknown, code: ApiError['code']): boolean {
  return error instanceof ApiError && error.code === code
}

function isVisited(id: string): boolean {
  return session.get(visitKey(id)) !== null
}

function visitKey(id: string): string {
  return `entered:${id}`
}
