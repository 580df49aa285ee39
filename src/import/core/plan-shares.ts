import { readSettings } from '../../config/service.ts'
import { isKnownHash } from '../../crypto/passwords.ts'
import { zipNames } from '../../downloads/zip/names.ts'
import { isUuid } from '../../http/formats.ts'
import { linkMaxLength, linkMinLength, linkPattern, maxViewsMax, nameMaxLength, reservedLinks } from '../../shares/limits.ts'
import { checkFileName } from '../../uploads/names.ts'
import { isStorable, storableBytes, storableCount } from './numbers.ts'
import type { Plan, PlanContext, PlannedFile } from './plan.ts'
import type { Owners } from './plan-users.ts'
import { listFurtherLinks, listRetiredTokens, listReverseShares, listShares } from './queries.ts'
import type { FoundBytes, Source, SourceFile, SourceReverseShare, SourceShare } from './source.ts'

const linkShape = new RegExp(linkPattern)

/** The reverse shares that exist here after the import, by id. */
type ReverseShares = ReadonlyMap<string, SourceReverseShare>

/** Plans the import of reverse shares. Shares received through them count as uses. */
export async function planReverseShares(
  ctx: PlanContext,
  { reverseShares, shares, product }: Source,
  owners: Owners,
  plan: Plan,
): Promise<ReverseShares> {
  const existing = await listReverseShares(ctx.db)
  const ids = new Set(existing.map(({ id }) => id))
  const tokens = new Set([...existing, ...(await listRetiredTokens(ctx.db))].map(({ token }) => token))
  const received = Map.groupBy(
    shares.filter(({ problem }) => problem === null),
    ({ reverseShareId }) => reverseShareId,
  )
  const result = new Map<string, SourceReverseShare>()
  for (const reverseShare of reverseShares) {
    const { id, token, name, expiresAt } = reverseShare
    const note = (why: string) => ({ kind: 'reverse shares' as const, name: name ?? token, why })
    const ownerId = owners.get(reverseShare.ownerId)
    const why = reasonToSkipReverse(reverseShare, product, ctx.now()) ?? (ownerId ? null : 'its owner is not imported')
    if (why || !ownerId) plan.skipped.push(note(why ?? ''))
    else if (ids.has(id)) {
      plan.existing['reverse shares']++
      result.set(id, reverseShare)
    } else if (tokens.has(token)) plan.skipped.push(note('another reverse share here has this link'))
    else {
      const row = await reverseRowOf(ctx, reverseShare, ownerId, received.get(id)?.length ?? 0)
      plan.reverseShares.push({ row: { ...row, expiresAt }, oldLinks: reverseShare.oldLinks })
      plan.changed.push(...reverseShare.changes.map(note))
      result.set(id, reverseShare)
    }
  }
  return result
}

function reasonToSkipReverse(
  { id, token, expiresAt, passwordHash, problem, createdAt }: SourceReverseShare,
  product: string,
  now: Date,
): string | null {
  if (expiresAt && expiresAt <= now) return 'has expired'
  if (expiresAt && !isStorable(expiresAt)) return 'its expiry is not a valid time'
  if (problem) return problem
  if (!isUuid(id) || !isStorable(createdAt)) return 'its row is damaged'
  if (!linkShape.test(token) || token.length < linkMinLength || token.length > linkMaxLength) return 'its link is not valid here'
  return passwordHash === null || isKnownHash(passwordHash) ? null : `its password hash is not from ${product}`
}

async function reverseRowOf(ctx: PlanContext, reverseShare: SourceReverseShare, ownerId: string, received: number) {
  const { id, token, name, passwordHash, sendEmailNotification, simplified, publicAccess, createdAt } = reverseShare
  const { askName, askEmail, allowedTypes } = reverseShare
  const remaining = storableCount(reverseShare.remainingUses)
  const maxUses = Math.max(1, storableCount(remaining + received))
  return {
    ...{ id, token, ownerId, passwordHash, sendEmailNotification, simplified, publicAccess, askName, askEmail, allowedTypes, createdAt },
    name: name?.slice(0, nameMaxLength) ?? null,
    maxSize: storableBytes(reverseShare.maxSize ?? (await readSettings(ctx))['share.maxSize']),
    ...{ maxUses, uses: maxUses - remaining },
  }
}

interface Imported {
  owners: Owners
  reverseShares: ReverseShares
}

/** Plans the import of shares and their files. */
export async function planShares(ctx: PlanContext, source: Source, imported: Imported, plan: Plan): Promise<void> {
  const existing = new Map((await listShares(ctx.db)).map((share) => [share.id, share]))
  const furtherLinks = new Set((await listFurtherLinks(ctx.db)).map(({ id }) => id))
  for (const share of source.shares) {
    const sameLink = existing.get(share.id)
    const why =
      reasonToSkip(share, source.product, imported, ctx.now()) ??
      ((sameLink ? sameLink.uid !== share.uid : furtherLinks.has(share.id)) ? 'another share here has this link' : null)
    if (why) plan.skipped.push({ kind: 'shares', name: nameOfShare(share), why })
    else if (sameLink?.completedAt) plan.existing.shares++
    else await planShare(share, imported, plan)
  }
}

function reasonToSkip(share: SourceShare, product: string, { owners, reverseShares }: Imported, now: Date): string | null {
  const { id, expiresAt, problem, ownerId, reverseShareId, passwordHash, createdAt } = share
  if (expiresAt && expiresAt <= now) return 'has expired'
  if (expiresAt && !isStorable(expiresAt)) return 'its expiry is not a valid time'
  if (problem) return problem
  if (!isStorable(createdAt)) return 'its row is damaged'
  if (!linkShape.test(id) || id.length < linkMinLength || id.length > linkMaxLength || reservedLinks.includes(id))
    return 'its link is not valid here'
  if (ownerId && !owners.has(ownerId)) return 'its owner is not imported'
  if (reverseShareId && !reverseShares.has(reverseShareId)) return 'its reverse share is not imported'
  if (passwordHash !== null && !isKnownHash(passwordHash)) return `its password hash is not from ${product}`
  return null
}

/** Returns the share's name beside a link that the product chose at random. */
const nameOfShare = ({ id, name, oldLinks }: SourceShare) => (oldLinks.length > 0 && name ? `${id} (${name})` : id)

async function planShare(share: SourceShare, imported: Imported, plan: Plan): Promise<void> {
  const note = (why: string) => plan.changed.push({ kind: 'shares', name: nameOfShare(share), why })
  const files: PlannedFile[] = []
  for (const file of await share.files()) {
    const planned = await plannedFile(share, file, note)
    if (planned) files.push(planned)
  }
  if (files.length === 0 && share.removedReason === null) {
    plan.skipped.push({ kind: 'shares', name: nameOfShare(share), why: 'none of its files exist' })
    return
  }
  for (const change of share.changes) note(change)
  plan.shares.push({ row: rowOf(share, files, imported), recipients: share.recipients, files, oldLinks: share.oldLinks })
}

function rowOf(share: SourceShare, files: PlannedFile[], { owners, reverseShares }: Imported) {
  const { id, uid, name, description, passwordHash, views, expiresAt, removedReason, ownerId, createdAt, senderName, senderEmail } = share
  const reverseShare = share.reverseShareId ? reverseShares.get(share.reverseShareId) : undefined
  const received = reverseShare && {
    reverseShareId: reverseShare.id,
    receiverId: owners.get(reverseShare.ownerId) ?? null,
    private: !reverseShare.publicAccess,
    maxSize: reverseShare.maxSize === null ? null : storableBytes(reverseShare.maxSize),
  }
  return {
    ...{ id, uid, description, removedReason, createdAt, passwordHash, expiresAt, senderName, senderEmail, ...received },
    name: name?.slice(0, nameMaxLength) ?? null,
    views: storableCount(views),
    ownerId: ownerId ? (owners.get(ownerId) ?? null) : null,
    maxViews: share.maxViews === null ? null : Math.min(maxViewsMax, Math.ceil(share.maxViews)),
    reserved: files.reduce((sum, { size }) => sum + size, 0),
  }
}

async function plannedFile(
  { id: shareId, uid }: SourceShare,
  file: SourceFile,
  report: (why: string) => void,
): Promise<PlannedFile | null> {
  const note = (why: string) => report(`${JSON.stringify(file.name)} ${why}`)
  const found = file.problem ? null : await file.find()
  if (!found) {
    note(`${file.problem ?? file.whenMissing ?? 'does not exist'} and is skipped`)
    return null
  }
  if (file.size !== null && found.size !== file.size) note(`has ${found.size} bytes instead of ${file.size}, and is imported as it is`)
  const name = validName(file)
  if (name !== file.name) note(`is renamed to ${JSON.stringify(name)}`)
  return { ...fileRowOf(shareId, uid, file, found), name, found, sha1: file.sha1 ?? null, oldLinks: file.oldLinks ?? [] }
}

function fileRowOf(shareId: string, uid: string, { id, createdAt }: SourceFile, { size }: FoundBytes) {
  return { id, shareId, size, type: null, objectKey: `shares/${uid}/${id}`, partSize: 1, partCount: 0, createdAt }
}

/** Returns a valid name for a file. Other products accept any name. */
function validName({ name }: SourceFile): string {
  try {
    checkFileName(name)
    return name || 'file'
  } catch {
    return zipNames([name])[0] ?? 'file'
  }
}
