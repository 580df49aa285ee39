import type { SharePage } from '../../../src/shares/contract.ts'
import { ApiError, api } from '../../api.ts'
import { session } from '../../storage.ts'

/**
 * Opens a share as a visit: the first time in this tab it is entered, which counts a view; a reload only reads it. A share unlocked earlier in this
 * browser needs neither its password nor a free view again.
 */
export async function openShare(id: string): Promise<SharePage> {
  const read = () => api('GET /api/shares/:id', { params: { id } })
  const refusal = isEntered(id) ? null : await tryEnter(id)
  try {
    return await read()
  } catch (error) {
    if (refusal) throw refusal
    if (!isLocked(error)) throw error
    const again = await tryEnter(id) // the unlock cookie has gone
    if (again) throw again
    return read()
  }
}

/** Enters a share, with its password where it has one. */
export async function enterShare(id: string, password?: string): Promise<void> {
  await api('POST /api/shares/:id/token', { params: { id }, body: password === undefined ? {} : { password } })
  session.set(entryKey(id), 'true')
}

/** A refusal that an earlier unlocking may outweigh. */
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
