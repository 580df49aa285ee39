import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { sharedBytes } from '../http/shared-bytes.ts'
import type { SharePage } from '../shares/contract.ts'
import { timeOf } from '../shares/present.ts'
import type { MetaData, ShareStart } from './contract.ts'
import { byteViewerOf, isCreator, viewerOf } from './guard.ts'
import { allFilesJson, folderStart } from './large-shares.ts'
import { maxStartFiles } from './limits.ts'
import { findVisibleShare, type ShareAccess, type VisibleShare } from './queries.ts'
import { readUnlock, unlocks } from './unlock-token.ts'
import { type Archive, archiveOf } from './zip/archive.ts'

/**
 * Returns a share as visitors see it; as pieces of JSON if it has more than 1,000 files. With a valid
 * token this takes one statement.
 *
 * @throws the errors of `viewerOf` and `sharedBytes`
 */
export async function viewShare(ctx: Context, request: FastifyRequest, reply: FastifyReply, id: string): Promise<SharePage | Buffer[]> {
  const unlock = readUnlock(ctx, request, id)
  const share = unlock && (await findVisibleShare(ctx.reader, id, ctx.now()))
  if (share && share.removedReason === null && share.linkEnabled && !share.private && unlocks(unlock, share))
    return withAllFiles(ctx, reply, share, pageOf(share))
  const { access } = await viewerOf(ctx, request, id)
  const visible = await findVisibleShare(ctx.reader, access.id, ctx.now())
  if (!visible) throw new AppError('share_not_found')
  return withAllFiles(ctx, reply, visible, pageOf(throughLink(visible, access)))
}

/** Adds the rest of many files without parsing them, which would block the event loop. */
async function withAllFiles(
  { pool }: Pick<Context, 'pool'>,
  { raw }: FastifyReply,
  { id, uid, revision }: VisibleShare,
  page: SharePage,
): Promise<SharePage | Buffer[]> {
  const { files, ...rest } = page
  if (files.length <= maxStartFiles) return page
  const all = await sharedBytes(`files ${uid}/${revision}`, raw, async () => Buffer.from(await allFilesJson(pool, id)))
  return [Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"files":`), all, Buffer.from('}')]
}

/**
 * Returns the start data of a share's page, whose list begins in `folder`. Returns null if the page
 * must load it itself: the share is missing, the visitor may not see it, its views are limited, or
 * it is encrypted and large. Of more than 1,000 files, it has the first ones in `folder`. Counts no
 * view; the page does this.
 */
export async function shareStart(
  ctx: Context,
  request: FastifyRequest,
  id: string,
  folder: string,
  settings: Settings,
): Promise<ShareStart | null> {
  try {
    const { access, by } = await byteViewerOf(ctx, request, id)
    const share = await findVisibleShare(ctx.reader, access.id, ctx.now())
    if (!share || isChanged(share, access)) return null
    if (by === 'public' && access.viewsLimited) return access.encrypted && access.viewsLeft ? { access: 'key', id: access.linkId } : null
    const page = pageOf(throughLink(share, access))
    const isOwn = await isCreator(request, access)
    const granted = { access: 'granted', ...(isOwn && { ownId: access.id }), entered: by !== 'public', folder } as const
    if (share.files.length > maxStartFiles && share.encrypted) return null // only browsers know its folders
    if (share.files.length > maxStartFiles)
      return { ...granted, share: { ...page, ...(await folderStart(ctx.pool, access, folder)) }, metaData: null }
    return { ...granted, share: page, metaData: metaDataOf(access, await archiveOf(ctx, access, settings)) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'email_code_required') return { access: 'code' }
    return error.code === 'share_password_required' ? { access: 'password', encrypted: error.details.encrypted === true } : null
  }
}

/** Returns whether the permissions of a share have changed since its access was checked. */
function isChanged(share: VisibleShare, access: ShareAccess): boolean {
  return (
    share.uid !== access.uid ||
    (access.linkUid === share.uid && share.passwordVersion !== access.passwordVersion) ||
    share.private !== access.private ||
    share.removedReason !== null
  )
}

/** Returns the state of a share's archive. */
export function metaDataOf({ linkId: id }: ShareAccess, archive: Archive): MetaData {
  const ready = archive.state === 'ready'
  return { id, isZipReady: ready, zip: { state: archive.state, progress: ready ? 1 : archive.progress, size: ready ? archive.size : null } }
}

/** Returns the share as the visitors of this link see it, which doesn't show the share's own id. */
function throughLink(share: VisibleShare, { linkId, passwordHash, expiresAt, maxDownloads, downloads }: ShareAccess): VisibleShare {
  return { ...share, id: linkId, hasPassword: passwordHash !== null, expiresAt, maxDownloads, downloads }
}

function pageOf({
  id,
  name,
  expiresAt,
  files,
  creator,
  description,
  hasPassword,
  size,
  kind,
  encrypted,
  ...limits
}: VisibleShare): SharePage {
  const page = { id, name, expiration: timeOf(expiresAt), files, creator, description, hasPassword, size, kind, encrypted }
  return { ...page, ...(limits.maxDownloads !== null && { downloadsLeft: Math.max(limits.maxDownloads - limits.downloads, 0) }) }
}
