import { type Stats, statSync } from 'node:fs'
import { zipNames } from '../downloads/zip/names.ts'
import { isUuid } from '../http/formats.ts'
import { linkPattern, maxViewsMax, nameMaxLength, reservedLinks } from '../shares/limits.ts'
import { checkFileName } from '../uploads/names.ts'
import type { Pingvin, PingvinFile, PingvinReverseShare, PingvinShare } from './pingvin.ts'
import type { Plan, PlannedFile, Planning } from './plan.ts'
import type { Owners } from './plan-users.ts'
import { knownReverseShares, knownShares } from './queries.ts'
import { uuidOf } from './uuids.ts'

const link = new RegExp(linkPattern)

/** The reverse shares that are here afterwards, by Pingvin's id. */
export type ReverseShares = ReadonlyMap<string, PingvinReverseShare>

/** Which links to send files by are taken. What has come through them counts as their uses. */
export async function planReverseShares(
  ctx: Planning,
  { reverseShares, shares }: Pingvin,
  owners: Owners,
  plan: Plan,
): Promise<ReverseShares> {
  const known = await knownReverseShares(ctx.db)
  const [ids, tokens] = [new Set(known.map(({ id }) => id)), new Set(known.map(({ token }) => token))]
  const came = Map.groupBy(
    shares.filter(({ completed }) => completed),
    ({ reverseShareId }) => reverseShareId,
  )
  const result = new Map<string, PingvinReverseShare>()
  for (const one of reverseShares) {
    const { id, token, maxShareSize, sendEmailNotification, simplified, publicAccess, createdAt, expiration } = one
    const leave = (why: string) => plan.left.push({ kind: 'reverse shares', name: token, why })
    const ownerId = owners.get(one.creatorId)
    if (expiration && expiration <= ctx.now()) leave('has expired')
    else if (!ownerId) leave('its owner is not taken')
    else if (!isUuid(id) || !link.test(token) || !(maxShareSize > 0)) leave('its row is damaged')
    else if (ids.has(id)) {
      plan.here['reverse shares']++
      result.set(id, one)
    } else if (tokens.has(token)) leave('another one here has this link')
    else {
      const remaining = Math.max(0, one.remainingUses)
      const maxUses = Math.max(1, remaining + (came.get(id)?.length ?? 0))
      const uses = { maxUses, uses: maxUses - remaining }
      const flags = { sendEmailNotification, simplified, publicAccess }
      plan.reverseShares.push({ id, token, ownerId, maxSize: maxShareSize, ...uses, ...flags, expiresAt: expiration, createdAt })
      result.set(id, one)
    }
  }
  return result
}

interface Known {
  owners: Owners
  reverseShares: ReverseShares
}

/** Which shares are taken, with which files. */
export async function planShares(ctx: Planning, pingvin: Pingvin, known: Known, plan: Plan): Promise<void> {
  const here = new Map((await knownShares(ctx.db)).map((share) => [share.id, share]))
  for (const share of pingvin.shares) {
    const uid = uuidOf('pingvin share', share.id, share.createdAt.toISOString())
    const taken = here.get(share.id)
    const why = reasonAgainst(share, known, ctx.now()) ?? (taken && taken.uid !== uid ? 'another share here has this link' : null)
    if (why) plan.left.push({ kind: 'shares', name: share.id, why })
    else if (taken?.completedAt) plan.here.shares++
    else take(pingvin, share, uid, known, plan)
  }
}

function reasonAgainst(share: PingvinShare, { owners, reverseShares }: Known, now: Date): string | null {
  if (share.expiration && share.expiration <= now) return 'has expired'
  if (!share.completed) return 'its upload was never finished, or it is open for editing: finish it in Pingvin Share first'
  if (!link.test(share.id) || share.id.length < 3 || share.id.length > 50 || reservedLinks.includes(share.id))
    return 'its link cannot be one here'
  if (share.creatorId && !owners.has(share.creatorId)) return 'its owner is not taken'
  if (share.reverseShareId && !reverseShares.has(share.reverseShareId)) return 'the reverse share that it came through is not taken'
  if (share.password !== null && !share.password.startsWith('$argon2')) return 'its password is not hashed as Pingvin does it'
  if (share.isOnS3) return 'its files are in an S3 bucket: move them to local storage in Pingvin Share, or share them again'
  return null
}

function take(pingvin: Pingvin, share: PingvinShare, uid: string, known: Known, plan: Plan): void {
  const files = share.files.flatMap((file) => plannedFile(pingvin, share, file, uid, plan) ?? [])
  if (files.length === 0 && share.removedReason === null) {
    plan.left.push({ kind: 'shares', name: share.id, why: 'none of its files is on the disk' })
    return
  }
  plan.shares.push({ row: rowOf(share, uid, files, known), recipients: share.recipients, files })
}

function rowOf(share: PingvinShare, uid: string, files: PlannedFile[], { owners, reverseShares }: Known) {
  const { id, name, description, password, views, expiration, removedReason, creatorId, createdAt } = share
  const through = share.reverseShareId ? reverseShares.get(share.reverseShareId)! : null
  const received = through && {
    reverseShareId: through.id,
    receiverId: owners.get(through.creatorId)!,
    private: !through.publicAccess,
    maxSize: through.maxShareSize,
  }
  return {
    ...{ id, uid, description, views, removedReason, createdAt, ...received },
    name: name?.slice(0, nameMaxLength) ?? null,
    ownerId: creatorId ? owners.get(creatorId)! : null,
    passwordHash: password,
    maxViews: share.maxViews === null ? null : Math.min(maxViewsMax, Math.ceil(share.maxViews)),
    expiresAt: expiration,
    reserved: files.reduce((sum, { size }) => sum + size, 0),
  }
}

function plannedFile({ pathOf }: Pingvin, share: PingvinShare, file: PingvinFile, uid: string, plan: Plan): PlannedFile | null {
  const tell = (why: string) => plan.changed.push({ kind: 'shares', name: share.id, why: `${JSON.stringify(file.name)} ${why}` })
  const path = isUuid(file.id) ? pathOf(share.id, file.id) : ''
  const found: Stats | undefined = path ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!found?.isFile()) {
    tell('is not on the disk, and left out')
    return null
  }
  if (found.size !== file.size) tell(`has ${found.size} bytes on the disk, and not ${file.size}: it is taken as it is there`)
  const name = nameOf(file)
  if (name !== file.name) tell(`is called ${JSON.stringify(name)} from now on`)
  const { id, createdAt } = file
  const objectKey = `shares/${uid}/${id}`
  return { id, shareId: share.id, name, size: found.size, type: null, objectKey, partSize: 1, partCount: 0, createdAt, path }
}

/** Pingvin took any name. */
function nameOf({ name }: PingvinFile): string {
  try {
    checkFileName(name)
    return name || 'file'
  } catch {
    return zipNames([name])[0]!
  }
}
