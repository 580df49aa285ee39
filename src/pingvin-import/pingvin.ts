import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../errors.ts'

// The data of Pingvin Share 0.22 to 1.13. A column that an older version lacks gets the default of
// Pingvin Share's migration.

export interface PingvinUser {
  id: string
  username: string
  email: string
  password: string | null
  isAdmin: boolean
  /** null unless the second factor is turned on. */
  totpSecret: string | null
  isLdap: boolean
  createdAt: Date
}
interface PingvinLink {
  provider: string
  subject: string
  username: string
  userId: string
}
export interface PingvinReverseShare {
  id: string
  token: string
  creatorId: string
  expiration: Date | null
  maxShareSize: number
  sendEmailNotification: boolean
  remainingUses: number
  simplified: boolean
  publicAccess: boolean
  createdAt: Date
}
export interface PingvinFile {
  id: string
  name: string
  size: number
  createdAt: Date
}
export interface PingvinShare {
  id: string
  name: string | null
  description: string | null
  completed: boolean
  views: number
  /** null: never. */
  expiration: Date | null
  removedReason: string | null
  creatorId: string | null
  reverseShareId: string | null
  isOnS3: boolean
  createdAt: Date
  password: string | null
  maxViews: number | null
  recipients: string[]
  files: PingvinFile[]
}
interface PingvinSetting {
  key: string
  value: string
}
export interface Pingvin {
  users: PingvinUser[]
  links: PingvinLink[]
  reverseShares: PingvinReverseShare[]
  shares: PingvinShare[]
  /** The settings that an administrator changed. */
  settings: PingvinSetting[]
  /** Returns the path of a file's bytes. */
  pathOf(shareId: string, fileId: string): string
}

type Row = Record<string, unknown>
type Rows = (table: string) => Row[]

/**
 * Reads Pingvin Share's database from its data folder without changing it.
 * @throws {StartError} there is no database, or it can't be read
 */
export function readPingvin(folder: string): Pingvin {
  const file = join(folder, 'pingvin-share.db')
  if (!existsSync(file)) throw new StartError(`There is no pingvin-share.db in ${folder}. Give Pingvin Share's data folder.`)
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return read((table) => rowsOf(database, table), folder)
    } finally {
      database.close()
    }
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${(error as Error).message}. Stop Pingvin Share, and copy all of its data folder.`)
  }
}

/** Returns all rows of a table; empty if this version doesn't have the table. */
function rowsOf(database: DatabaseSync, table: string): Row[] {
  const exists = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(table)
  return exists ? (database.prepare(`select * from "${table}"`).all() as Row[]) : []
}

function read(rows: Rows, folder: string): Pingvin {
  return {
    users: rows('User').map(userOf),
    links: rows('OAuthUser').map((row) => ({
      provider: text(row.provider),
      subject: text(row.providerUserId),
      username: text(row.providerUsername),
      userId: text(row.userId),
    })),
    reverseShares: rows('ReverseShare').map(reverseShareOf),
    shares: sharesOf(rows),
    settings: rows('Config').flatMap(({ category, name, value }) =>
      value === null || value === undefined ? [] : [{ key: `${category}.${name}`, value: text(value) }],
    ),
    pathOf: (shareId, fileId) => join(folder, 'uploads/shares', shareId, fileId),
  }
}

function userOf(row: Row): PingvinUser {
  return {
    id: text(row.id),
    username: text(row.username),
    email: text(row.email),
    password: textOrNull(row.password),
    isAdmin: flag(row.isAdmin),
    totpSecret: flag(row.totpVerified) ? textOrNull(row.totpSecret) : null,
    isLdap: textOrNull(row.ldapDN) !== null,
    createdAt: time(row.createdAt) ?? new Date(0),
  }
}

function reverseShareOf(row: Row): PingvinReverseShare {
  return {
    id: text(row.id),
    token: text(row.token),
    creatorId: text(row.creatorId),
    expiration: expirationOf(row.shareExpiration),
    maxShareSize: Number(row.maxShareSize),
    sendEmailNotification: flag(row.sendEmailNotification),
    remainingUses: Number(row.remainingUses ?? 0),
    simplified: flag(row.simplified),
    publicAccess: row.publicAccess === undefined || flag(row.publicAccess),
    createdAt: time(row.createdAt) ?? new Date(0),
  }
}

function sharesOf(rows: Rows): PingvinShare[] {
  const files = Map.groupBy(rows('File'), ({ shareId }) => text(shareId))
  const recipients = Map.groupBy(rows('ShareRecipient'), ({ shareId }) => text(shareId))
  const security = new Map(rows('ShareSecurity').map((row) => [text(row.shareId), row]))
  return rows('Share').map((row) => {
    const id = text(row.id)
    const { password, maxViews } = security.get(id) ?? {}
    return {
      id,
      name: textOrNull(row.name),
      description: textOrNull(row.description),
      completed: flag(row.uploadLocked),
      views: Number(row.views ?? 0),
      expiration: expirationOf(row.expiration),
      removedReason: textOrNull(row.removedReason),
      creatorId: textOrNull(row.creatorId),
      reverseShareId: textOrNull(row.reverseShareId),
      isOnS3: row.storageProvider === 'S3',
      createdAt: time(row.createdAt) ?? new Date(0),
      password: textOrNull(password),
      maxViews: Number(maxViews) > 0 ? Number(maxViews) : null, // 0 means no limit in Pingvin Share
      recipients: (recipients.get(id) ?? []).map(({ email }) => text(email)),
      files: (files.get(id) ?? []).map((file) => fileOf(file)),
    }
  })
}

function fileOf(row: Row): PingvinFile {
  return { id: text(row.id), name: text(row.name), size: Number(row.size), createdAt: time(row.createdAt) ?? new Date(0) }
}

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value))
const textOrNull = (value: unknown) => text(value) || null
const flag = (value: unknown) => value === 1 || value === true || value === 'true'

/** Prisma writes milliseconds since 1970. SQLite's own defaults look like `2024-02-29 12:00:00`, in UTC. */
function time(value: unknown): Date | null {
  if (value === null || value === undefined) return null
  const number = Number(value)
  const isPlain = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(text(value))
  const date = Number.isNaN(number) ? new Date(isPlain ? `${text(value).replace(' ', 'T')}Z` : text(value)) : new Date(number)
  return Number.isNaN(date.getTime()) ? null : date
}

/** Converts 1970, which means "never", to null. */
function expirationOf(value: unknown): Date | null {
  const date = time(value)
  return date && date.getTime() !== 0 ? date : null
}
