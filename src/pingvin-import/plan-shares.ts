import { createHash } from 'node:crypto'
import { type Stats, statSync } from 'node:fs'
import { zipNames } from '../downloads/zip/names.ts'
import { isUuid } from '../http/formats.ts'
import { linkPattern, maxViewsMax, nameMaxLength, reservedLinks } from '../shares/limits.ts'
import { checkFileName } from '../uploads/names.ts'
import type { Pingvin, PingvinFile, PingvinReverseShare, PingvinShare } from './pingvin.ts'
import type { Plan, PlanContext, PlannedFile } from './plan.ts'
import type { Owners } from './plan-users.ts'
import { listReverseShares, listShares } from './queries.ts'

const linkShape = new RegExp(linkPattern)

/** The reverse shares that exist here after the import, by Pingvin Share's id. */
type ReverseShares = ReadonlyMap<string, PingvinReverseShare>

/** Plans the import of reverse shares. Shares received through them count as uses. */
export async function planReverseShares(
  ctx: PlanContext,
  { reverseShares, shares }: Pingvin,
  owners: Owners,
  plan: Plan,
): Promise<ReverseShares> {
  const existing = await listReverseShares(ctx.db)
  const [ids, tokens] = [new Set(existing.map(({ id }) => id)), new Set(existing.map(({ token }) => token))]
  const received = Map.groupBy(
    shares.filter(({ completed }) => completed),
    ({ reverseShareId }) => reverseShareId,
  )
  const result = new Map<string, PingvinReverseShare>()
  for (const reverseShare of reverseShares) {
    const { id, token, maxShareSize, sendEmailNotification, simplified, publicAccess, createdAt, expiration } = reverseShare
    const skip = (why: string) => plan.skipped.push({ kind: 'reverse shares', name: token, why })
    const ownerId = owners.get(reverseShare.creatorId)
    if (expiration && expiration <= ctx.now()) skip('has expired')
    else if (!ownerId) skip('its owner is not imported')
    else if (!isUuid(id) || !linkShape.test(token) || !(maxShareSize > 0)) skip('its row is damaged')
    else if (ids.has(id)) {
      plan.existing['reverse shares']++
      result.set(id, reverseShare)
    } else if (tokens.has(token)) skip('another reverse share here has this link')
    else {
      const remaining = Math.max(0, reverseShare.remainingUses)
      const maxUses = Math.max(1, remaining + (received.get(id)?.length ?? 0))
      const uses = { maxUses, uses: maxUses - remaining }
      const flags = { sendEmailNotification, simplified, publicAccess }
      plan.reverseShares.push({ id, token, ownerId, maxSize: maxShareSize, ...uses, ...flags, expiresAt: expiration, createdAt })
      result.set(id, reverseShare)
    }
  }
  return result
}

interface Imported {
  owners: Owners
  reverseShares: ReverseShares
}

/** Plans the import of shares and their files. */
export async function planShares(ctx: PlanContext, pingvin: Pingvin, imported: Imported, plan: Plan): Promise<void> {
  const existing = new Map((await listShares(ctx.db)).map((share) => [share.id, share]))
  for (const share of pingvin.shares) {
    const uid = uidOf(share)
    const sameLink = existing.get(share.id)
    const why = reasonToSkip(share, imported, ctx.now()) ?? (sameLink && sameLink.uid !== uid ? 'another share here has this link' : null)
    if (why) plan.skipped.push({ kind: 'shares', name: share.id, why })
    else if (sameLink?.completedAt) plan.existing.shares++
    else planShare(pingvin, share, uid, imported, plan)
  }
}

/**
 * Derives a UUID (version 8, RFC 9562) from a share's id and creation time, so that a later run
 * recognizes the share that an earlier run imported.
 */
function uidOf({ id, createdAt }: PingvinShare): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify(['pingvin share', id, createdAt.toISOString()]))
    .digest()
    .subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function reasonToSkip(share: PingvinShare, { owners, reverseShares }: Imported, now: Date): string | null {
  if (share.expiration && share.expiration <= now) return 'has expired'
  if (!share.completed) return 'its upload is not finished, or it is open for editing: finish it in Pingvin Share first'
  if (!linkShape.test(share.id) || share.id.length < 3 || share.id.length > 50 || reservedLinks.includes(share.id))
    return 'its link is not valid here'
  if (share.creatorId && !owners.has(share.creatorId)) return 'its owner is not imported'
  if (share.reverseShareId && !reverseShares.has(share.reverseShareId)) return 'its reverse share is not imported'
  if (share.password !== null && !share.password.startsWith('$argon2')) return 'its password hash is not from Pingvin Share'
  if (share.isOnS3) return 'its files are in an S3 bucket: move them to local storage in Pingvin Share, or share them again'
  return null
}

function planShare(pingvin: Pingvin, share: PingvinShare, uid: string, imported: Imported, plan: Plan): void {
  const files = share.files.flatMap((file) => plannedFile(pingvin, share, file, uid, plan) ?? [])
  if (files.length === 0 && share.removedReason === null) {
    plan.skipped.push({ kind: 'shares', name: share.id, why: 'none of its files exist on disk' })
    return
  }
  plan.shares.push({ row: rowOf(share, uid, files, imported), recipients: share.recipients, files })
}

function rowOf(share: PingvinShare, uid: string, files: PlannedFile[], { owners, reverseShares }: Imported) {
  const { id, name, description, password, views, expiration, removedReason, creatorId, createdAt } = share
  const reverseShare = share.reverseShareId ? reverseShares.get(share.reverseShareId) : undefined
  const received = reverseShare && {
    reverseShareId: reverseShare.id,
    receiverId: owners.get(reverseShare.creatorId) ?? null,
    private: !reverseShare.publicAccess,
    maxSize: reverseShare.maxShareSize,
  }
  return {
    ...{ id, uid, description, views, removedReason, createdAt, ...received },
    name: name?.slice(0, nameMaxLength) ?? null,
    ownerId: creatorId ? (owners.get(creatorId) ?? null) : null,
    passwordHash: password,
    maxViews: share.maxViews === null ? null : Math.min(maxViewsMax, Math.ceil(share.maxViews)),
    expiresAt: expiration,
    reserved: files.reduce((sum, { size }) => sum + size, 0),
  }
}

function plannedFile({ pathOf }: Pingvin, share: PingvinShare, file: PingvinFile, uid: string, plan: Plan): PlannedFile | null {
  const note = (why: string) => plan.changed.push({ kind: 'shares', name: share.id, why: `${JSON.stringify(file.name)} ${why}` })
  const path = isUuid(file.id) ? pathOf(share.id, file.id) : ''
  const stats: Stats | undefined = path ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!stats?.isFile()) {
    note('does not exist on disk and is skipped')
    return null
  }
  if (stats.size !== file.size) note(`has ${stats.size} bytes on disk instead of ${file.size}, and is imported as it is on disk`)
  const name = nameOf(file)
  if (name !== file.name) note(`is renamed to ${JSON.stringify(name)}`)
  const { id, createdAt } = file
  const objectKey = `shares/${uid}/${id}`
  return { id, shareId: share.id, name, size: stats.size, type: null, objectKey, partSize: 1, partCount: 0, createdAt, path }
}

/** Returns a valid name for a file. Pingvin Share accepts any name. */
function nameOf({ name }: PingvinFile): string {
  try {
    checkFileName(name)
    return name || 'file'
  } catch {
    return zipNames([name])[0] ?? 'file'
  }
}
