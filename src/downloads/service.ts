import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { verifyPassword } from '../crypto/passwords.ts'
import { AppError } from '../errors.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt, refundAttempt } from '../http/rate-limit.ts'
import type { SharePage } from '../shares/contract.ts'
import { timeOf } from '../shares/present.ts'
import type { MetaData, ShareStart } from './contract.ts'
import { byteViewerOf, findAccess, viewerOf } from './guard.ts'
import { findVisibleShare, type ShareAccess, type VisibleShare } from './queries.ts'
import { newUnlock, readUnlock, unlocks } from './unlock.ts'
import { consumeView } from './visits.ts'
import { type Archive, archiveOf } from './zip/archive.ts'

const manyFiles = 1_000
const passwordTries = { name: 'share-password', attempts: 20, seconds: 300 }

/** A share as its visitor sees it; with a valid token by one statement. Throws the viewer's errors. */
export async function viewShare(ctx: Context, request: FastifyRequest, id: string): Promise<SharePage> {
  const unlock = readUnlock(ctx, request, id)
  const share = unlock && (await findVisibleShare(ctx.reader, id, ctx.now()))
  if (share && share.removedReason === null && !share.private && unlocks(unlock, share)) return pageOf(share)
  await viewerOf(ctx, request, id)
  const owned = await findVisibleShare(ctx.reader, id, ctx.now())
  if (!owned) throw new AppError('share_not_found')
  return pageOf(owned)
}

/**
 * Returns what the page of a share starts with, `folder` being where its list begins. null where the application has to ask: for a share that the visitor may
 * not see or that is missing, where views are limited, and for more than 1,000 files. It counts nothing itself: the page still enters the share.
 */
export async function shareStart(ctx: Context, request: FastifyRequest, id: string, folder: string): Promise<ShareStart | null> {
  try {
    const { door, by } = await byteViewerOf(ctx, request, id)
    const share = await findVisibleShare(ctx.reader, id, ctx.now())
    if (!share || isChanged(share, door) || share.files.length > manyFiles) return null
    if (by === 'open door' && share.viewsLimited) return null
    const metaData = metaDataOf(door, await archiveOf(ctx, door))
    return { access: 'granted', share: pageOf(share), metaData, entered: by !== 'open door', folder }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.code === 'share_password_required' ? { access: 'password' } : null
  }
}

/** Whether who may see a share has been changed since its door was looked at. */
function isChanged(share: VisibleShare, door: ShareAccess): boolean {
  return (
    share.uid !== door.uid ||
    share.passwordVersion !== door.passwordVersion ||
    share.private !== door.private ||
    share.removedReason !== null
  )
}

/** Whether a share's archive can be had. */
export function metaDataOf({ id }: ShareAccess, archive: Archive): MetaData {
  const ready = archive.state === 'ready'
  return { id, isZipReady: ready, zip: { state: archive.state, progress: ready ? 1 : archive.progress, size: ready ? archive.size : null } }
}

function pageOf({ id, name, expiresAt, files, creator, description, hasPassword, size }: VisibleShare): SharePage {
  return { id, name, expiration: timeOf(expiresAt), files, creator, description, hasPassword, size }
}

/**
 * Opens a share to a visitor: checks the password, counts one view and answers the unlock token. Throws what `findAccess` does, `share_password_required`,
 * `too_many_requests` after 20 wrong passwords of one address in five minutes and 10 views in ten where views are limited, `wrong_password`, `share_max_views_exceeded`.
 */
export async function unlockShare(ctx: Context, request: FastifyRequest, id: string, password: string): Promise<string> {
  const door = await findAccess(ctx, request, id)
  if (door.passwordHash !== null) await checkPassword(ctx, request.ip, door, password)
  await consumeView(ctx, request, door)
  return newUnlock(ctx, door)
}

async function checkPassword(ctx: Context, address: string, { uid, passwordHash }: ShareAccess, password: string): Promise<void> {
  if (password === '') throw new AppError('share_password_required')
  const tries = `${uid}:${addressKey(address)}`
  await consumeAttempt(ctx, passwordTries, tries)
  await consumeHash(ctx, 'share', { address })
  if (!(await verifyPassword(password, passwordHash, 'share'))) throw new AppError('wrong_password')
  await refundAttempt(ctx, passwordTries, tries)
}
