import type { SharePage } from '../../../src/shares/contract.ts'
import { ApiError, api } from '../../api.ts'
import { session } from '../../lib/storage.ts'
import { start } from '../../start.ts'

/** Since when what the page came with is known, in ms. */
export const loadedAt = Date.now()

/** The share that is being opened while the application loads. */
let preloaded: { id: string; share: Promise<SharePage> } | null = null

/** Returns what the page came with, if that is this share. It may have changed since. */
export function shareFromPage(id: string) {
  const share = start.share
  return share?.access === 'granted' && share.share.id === id ? share : undefined
}

/** Begins to open the share of a page before the application is there. */
export function preloadShare(id: string): void {
  preloaded = { id, share: openFromPage(id) }
  preloaded.share.catch(() => {}) // shown where the share would be
}

/** Opens a share, unless `preloadShare` has: that counts once. */
export function loadShare(id: string): Promise<SharePage> {
  const share = preloaded?.id === id ? preloaded.share : openShare(id)
  preloaded = null
  return share
}

/** Enters a share, which counts a view, with its password where it has one. */
export async function enterShare(id: string, password?: string): Promise<void> {
  await api('POST /api/shares/:id/token', { params: { id }, body: password === undefined ? {} : { password } })
  session.set(entryKey(id), 'true')
}

/** Opens a share with what the page came with: once entered in this tab, it needs no call. */
async function openFromPage(id: string): Promise<SharePage> {
  if (start.share?.access === 'password') throw new ApiError('share_password_required', 403)
  const page = shareFromPage(id)
  if (!page) return openShare(id)
  if (window.fileTaken) session.set(entryKey(id), 'true')
  else if (!isEntered(id) || !page.entered) {
    const refusal = await tryEnter(id)
    if (refusal && !page.entered) throw refusal
  }
  return page.share
}

/**
 * Opens a share as a visit: the first time in this tab it is entered, a reload only reads it. A share unlocked earlier in this browser, and one's own, needs
 * neither its password nor a free view.
 */
async function openShare(id: string): Promise<SharePage> {
  const read = () => api('GET /api/shares/:id', { params: { id } })
  if (isEntered(id)) {
    const share = await read().catch((error) => {
      if (!isLocked(error)) throw error
      return null // the unlock cookie has expired
    })
    if (share) return share
  }
  const refusal = await tryEnter(id)
  return read().catch((error) => {
    throw refusal ?? error
  })
}

/** Returns a refusal that an earlier unlocking may outweigh. */
async function tryEnter(id: string): Promise<ApiError | null> {
  try {
    await enterShare(id)
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

function isEntered(id: string): boolean {
  return session.get(entryKey(id)) !== null
}

function entryKey(id: string): string {
  return `entered:${id}`
}
