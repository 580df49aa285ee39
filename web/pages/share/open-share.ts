import type { MetaData } from '../../../src/downloads/contract.ts'
import type { SharePage } from '../../../src/shares/contract.ts'
import { ApiError, api } from '../../api.ts'
import { start } from '../../start.ts'
import { session } from '../../storage.ts'

/** What the page came with; once, as it may be changed. */
let given = start.opened
let givenArchive = start.opened?.metaData

/** What was begun while the application was on its way. */
let begun: { id: string; opening: Promise<SharePage>; share: SharePage | undefined } | null = null

/** Begins to open a share before its page is there. What the page came with is shown while the share is being entered. */
export function beginOpening(id: string): void {
  const share = given?.share.id === id ? given.share : undefined
  const it: typeof begun = { id, opening: openShare(id), share }
  begun = it
  it.opening.then(
    (share) => (it.share = share),
    () => {}, // it is said where the share would be
  )
}

/** The share, where `beginOpening` has it by now; whether it may be seen is for `takeShare` to say. */
export function openedShare(id: string): SharePage | undefined {
  return begun?.id === id ? begun.share : undefined
}

/** What the page came with of a share's archive; once, as it may be changed. */
export function givenMetaData(id: string): MetaData | undefined {
  const metaData = givenArchive?.id === id ? givenArchive : undefined
  givenArchive = undefined
  return metaData
}

/** The share as `beginOpening` will have it, once; otherwise it is opened. */
export function takeShare(id: string): Promise<SharePage> {
  const opening = begun?.id === id ? begun.opening : openShare(id)
  begun = null
  return opening
}

/**
 * Opens a share as a visit: the first time in this tab it is entered, which counts a view; a reload only reads it. A share unlocked earlier in this
 * browser needs neither its password nor a free view again.
 */
async function openShare(id: string): Promise<SharePage> {
  const read = () => api('GET /api/shares/:id', { params: { id } })
  const known = given?.share.id === id ? given : null
  given = null
  if (known && window.fileTaken) {
    session.set(entryKey(id), 'true')
    return known.share
  }
  const hasToken = known?.entered ?? true // as far as this tab knows
  const refusal = isEntered(id) && hasToken ? null : await tryEnter(id)
  if (known) {
    if (refusal && !hasToken) throw refusal
    return known.share
  }
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
