import { join } from 'node:path'
import { isUuid } from '../../http/formats.ts'
import { linkMaxLength, linkMinLength } from '../../shares/limits.ts'
import type { ObjectFinder } from '../core/bucket.ts'
import { findOnDisk } from '../core/disk.ts'
import { derivedUuid } from '../core/ids.ts'
import type { Source, SourceFile, SourceReverseShare, SourceShare, SourceUser } from '../core/source.ts'
import { flag, type Row, type Rows, readSqlite, text, textOrNull, time } from '../core/sqlite.ts'
import { bucketOf } from './bucket.ts'
import { type PingvinSetting, planSettings } from './plan-settings.ts'

// The data of Pingvin Share 0.22 to 1.13, and of Pingvin Share X up to 2. A column that an older
// version lacks gets the default of Pingvin Share's migration.

const base32 = /^[A-Z2-7]+=*$/i

/**
 * Reads Pingvin Share's database from its data folder without changing it. Files in an S3 bucket
 * are found with the settings in the database.
 *
 * @throws {StartError} there is no database, or it can't be read
 */
export function readPingvin(folder: string): Source {
  return readSqlite('Pingvin Share', join(folder, 'pingvin-share.db'), (rows) => sourceOf(rows, folder))
}

function sourceOf(rows: Rows, folder: string): Source {
  const settings: PingvinSetting[] = rows('Config').flatMap(({ category, name, value }) =>
    value === null || value === undefined ? [] : [{ key: `${category}.${name}`, value: text(value) }],
  )
  const bucket = bucketOf(settings)
  const shares = sharesOf(rows, folder, bucket)
  return {
    product: 'Pingvin Share',
    users: rows('User').map(userOf),
    links: rows('OAuthUser').map((row) => ({
      provider: text(row.provider),
      subject: text(row.providerUserId),
      username: text(row.providerUsername),
      userId: text(row.userId),
    })),
    reverseShares: rows('ReverseShare').map(reverseShareOf),
    shares,
    planSettings: (ctx, plan) => planSettings(ctx, settings, plan),
    neverImported: 'The logo, sessions and password reset links of Pingvin Share are not imported.',
    close: () => bucket?.close(),
  }
}

function userOf(row: Row): SourceUser {
  const [password, totpSecret] = [textOrNull(row.password), flag(row.totpVerified) ? textOrNull(row.totpSecret) : null]
  const isLdap = textOrNull(row.ldapDN) !== null
  return {
    id: text(row.id),
    username: text(row.username),
    email: text(row.email),
    emailVerified: row.isActivated !== 0,
    passwordHash: isLdap ? null : password, // LDAP users have a random password in Pingvin Share
    isAdmin: flag(row.isAdmin),
    totpSecret,
    createdAt: time(row.createdAt) ?? new Date(0),
    problem: problemOf(row, password, totpSecret),
    changes: [
      ...(isLdap ? ['signed in with LDAP, which is not supported here: it has no password until one is set'] : []),
      ...(row.isActivated === 0 ? ['has not confirmed its email address in Pingvin Share'] : []),
    ],
  }
}

function problemOf(row: Row, password: string | null, totpSecret: string | null): string | null {
  if (!isUuid(text(row.id)) || !text(row.email)) return 'its row is damaged'
  if (password !== null && !password.startsWith('$argon2')) return 'its password hash is not from Pingvin Share'
  if (totpSecret !== null && !base32.test(totpSecret))
    return 'its authenticator secret is damaged, and without it the password alone would be enough to sign in'
  return null
}

function reverseShareOf(row: Row): SourceReverseShare {
  const [id, maxSize] = [text(row.id), Number(row.maxShareSize)]
  return {
    id,
    token: text(row.token),
    ...{ name: null, passwordHash: null, askName: 'off', askEmail: 'off', allowedTypes: [], changes: [], oldLinks: [] },
    ownerId: text(row.creatorId),
    maxSize,
    remainingUses: Number(row.remainingUses ?? 0),
    sendEmailNotification: flag(row.sendEmailNotification),
    simplified: flag(row.simplified),
    publicAccess: row.publicAccess === undefined || flag(row.publicAccess),
    expiresAt: expirationOf(row.shareExpiration),
    createdAt: time(row.createdAt) ?? new Date(0),
    problem: isUuid(id) && maxSize > 0 ? null : 'its row is damaged',
  }
}

function sharesOf(rows: Rows, folder: string, bucket: ObjectFinder | null): SourceShare[] {
  const files = Map.groupBy(rows('File'), ({ shareId }) => text(shareId))
  const emails = new Map(rows('User').map((row) => [text(row.id), text(row.email)]))
  const recipients = Map.groupBy(
    [
      ...rows('ShareRecipient').map((row) => ({ shareId: text(row.shareId), email: text(row.email) })),
      ...rows('ShareUserRecipient').map((row) => ({ shareId: text(row.shareId), email: emails.get(text(row.userId)) ?? '' })),
    ],
    ({ shareId }) => shareId,
  )
  const security = new Map(rows('ShareSecurity').map((row) => [text(row.shareId), row]))
  return rows('Share').map((row) => {
    const id = text(row.id)
    const createdAt = time(row.createdAt) ?? new Date(0)
    const { password, maxViews, restrictToRecipients } = security.get(id) ?? {}
    const isOnS3 = row.storageProvider === 'S3'
    return {
      ...{ id, createdAt, uid: derivedUuid('pingvin share', id, createdAt.toISOString()) },
      name: textOrNull(row.name),
      description: textOrNull(row.description),
      views: Number(row.views ?? 0),
      expiresAt: expirationOf(row.expiration),
      removedReason: textOrNull(row.removedReason),
      ownerId: textOrNull(row.creatorId),
      reverseShareId: textOrNull(row.reverseShareId),
      ...{ senderName: null, senderEmail: null, changes: [], oldLinks: [] },
      passwordHash: textOrNull(password),
      maxViews: Number(maxViews) > 0 ? Number(maxViews) : null, // 0 means no limit in Pingvin Share
      recipients: [...new Set((recipients.get(id) ?? []).flatMap(({ email }) => email || []))],
      problem: problemOfShare(row, { restricted: flag(restrictToRecipients), unreachable: isOnS3 && !bucket }),
      files: async () => (files.get(id) ?? []).map((file) => fileOf(file, id, folder, isOnS3 ? bucket : null)),
    }
  })
}

function problemOfShare(row: Row, { restricted, unreachable }: { restricted: boolean; unreachable: boolean }): string | null {
  if (!flag(row.uploadLocked)) return 'its upload is not finished, or it is open for editing: finish it in Pingvin Share first'
  if (restricted) return 'only its recipients may open it, which does not exist here: give it a password in Pingvin Share instead'
  if (unreachable) return 'its files are in an S3 bucket, and the settings in the database have no bucket: set s3.* in Pingvin Share'
  return null
}

function fileOf(row: Row, shareId: string, folder: string, bucket: ObjectFinder | null): SourceFile {
  const [id, name] = [text(row.id), text(row.name)]
  const root = join(folder, 'uploads/shares')
  const isSafe = shareId.length >= linkMinLength && shareId.length <= linkMaxLength && /^[\w-]+$/.test(shareId)
  const onDisk = async () => (isUuid(id) && isSafe ? findOnDisk(root, join(root, shareId, id)) : null)
  return {
    ...{ id, name },
    size: Number(row.size),
    createdAt: time(row.createdAt) ?? new Date(0),
    find: bucket ? () => bucket.find(`${shareId}/${name}`) : onDisk,
  }
}

/** Converts 1970, which means "never", to null. */
function expirationOf(value: unknown): Date | null {
  const date = time(value)
  return date && date.getTime() !== 0 ? date : null
}
