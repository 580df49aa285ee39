import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bucketOfEnv, openBucket } from '../core/bucket.ts'
import { derivedUuid } from '../core/ids.ts'
import type { Source, SourceLink, SourceShare, SourceUser } from '../core/source.ts'
import { flag, type Row, readSqlite, text, textOrNull, time } from '../core/sqlite.ts'
import { type Bytes, type FileInShare, Folders, fileOf } from './files.ts'
import { receivedShares, reverseShareOf } from './reverse-shares.ts'

// The data of Palmr 3, which Prisma keeps in SQLite. A share lists files and folders of its
// creator.

const product = 'Palmr'
const base32 = /^[A-Z2-7]+=*$/i
const tables = [
  ...['users', 'files', 'folders', 'shares', 'share_security', 'share_recipients', 'share_aliases', '_ShareFiles', '_ShareFolders'],
  ...['reverse_shares', 'reverse_share_files', 'reverse_share_aliases', 'auth_providers', 'user_auth_providers'],
] as const
type Tables = Record<(typeof tables)[number], Row[]>

/**
 * Reads Palmr's database from its data folder (`/app/server` in its container). `files` is its
 * folder `uploads`, if that is elsewhere. Files in a bucket are read with `IMPORT_S3_*`.
 *
 * @throws {StartError} there is no database, or it can't be read
 */
export function readPalmr(folder: string, files: string | null): Source {
  const database = [join(folder, 'prisma/palmr.db'), join(folder, 'palmr.db'), folder].find(
    (path) => existsSync(path) && path.endsWith('.db'),
  )
  const data = readSqlite(product, database ?? join(folder, 'prisma/palmr.db'), (rows) =>
    Object.fromEntries(tables.map((table) => [table, rows(table)])),
  ) as Tables
  const bucketSettings = bucketOfEnv(process.env)
  const bytes: Bytes = { folder: files ?? join(folder, 'uploads'), bucket: bucketSettings && openBucket(bucketSettings) }
  const reverseAliases = aliasesOf(data.reverse_share_aliases, 'reverseShareId')
  const received = Map.groupBy(data.reverse_share_files, (row) => text(row.reverseShareId))
  return {
    product,
    users: data.users.map(userOf),
    links: linksOf(data),
    reverseShares: data.reverse_shares.map((row) => reverseShareOf(row, reverseAliases.get(text(row.id))?.[0], userId(row.creatorId))),
    shares: [
      ...sharesOf(data, bytes),
      ...data.reverse_shares.flatMap((row) => receivedShares(row, received.get(text(row.id)) ?? [], bytes)),
    ],
    neverImported: 'Files that are not shared, the logo, invitations, providers and settings of Palmr are not imported.',
    close: () => bytes.bucket?.close(),
  }
}

const userId = (id: unknown) => derivedUuid('palmr user', text(id))
const aliasesOf = (rows: Row[], key: string) =>
  new Map([...Map.groupBy(rows, (row) => text(row[key]))].map(([id, aliases]) => [id, aliases.map(({ alias }) => text(alias))]))

function userOf(row: Row): SourceUser {
  const totpSecret = flag(row.twoFactorEnabled) ? textOrNull(row.twoFactorSecret) : null
  const isActive = flag(row.isActive)
  const isDamaged = flag(row.twoFactorEnabled) && !base32.test(totpSecret ?? '')
  return {
    ...{ id: userId(row.id), username: text(row.username), email: text(row.email), isAdmin: flag(row.isAdmin) && isActive, totpSecret },
    passwordHash: isActive ? textOrNull(row.password) : null,
    createdAt: time(row.createdAt) ?? new Date(0),
    problem: isDamaged ? 'its authenticator secret is damaged, and without it the password alone would be enough to sign in' : null,
    changes: isActive ? [] : ['is turned off in Palmr: it has no password until one is set'],
  }
}

function linksOf({ user_auth_providers, auth_providers }: Tables): SourceLink[] {
  const providers = new Map(auth_providers.map((row) => [text(row.id), text(row.name)]))
  return user_auth_providers.map((row) => ({
    provider: providers.get(text(row.providerId)) ?? text(row.provider),
    subject: text(row.externalId),
    username: text(row.externalId),
    userId: userId(row.userId),
  }))
}

function sharesOf(data: Tables, bytes: Bytes): SourceShare[] {
  const aliases = aliasesOf(data.share_aliases, 'shareId')
  const security = new Map(data.share_security.map((row) => [text(row.id), row]))
  const recipients = Map.groupBy(data.share_recipients, (row) => text(row.shareId))
  const contents = contentsOf(data)
  return data.shares.map((row) => {
    const id = text(row.id)
    const { password, maxViews } = security.get(text(row.securityId)) ?? {}
    const [link = id] = aliases.get(id) ?? []
    const isOpen = !textOrNull(password) && !Number(maxViews)
    return {
      ...{ id: link, uid: derivedUuid('palmr share', id), name: textOrNull(row.name), description: textOrNull(row.description) },
      ...{ views: Number(row.views ?? 0), maxViews: Number(maxViews) > 0 ? Number(maxViews) : null },
      expiresAt: time(row.expiration),
      ...{ removedReason: null, reverseShareId: null, senderName: null, senderEmail: null, problem: null, changes: [] },
      ownerId: text(row.creatorId) ? userId(row.creatorId) : null,
      createdAt: time(row.createdAt) ?? new Date(0),
      passwordHash: textOrNull(password),
      recipients: (recipients.get(id) ?? []).map(({ email }) => text(email)),
      oldLinks: [],
      files: async () =>
        contents(id).map(({ row: file, name }) => ({
          ...fileOf(bytes, id, file, name),
          ...(isOpen && { oldLinks: [`palmr-file:${text(file.id)}`] }), // an open share's files keep their addresses for other pages
        })),
    }
  })
}

/**
 * Returns a function that lists the files of a share, and those in its folders with their paths.
 */
function contentsOf(data: Tables): (shareId: string) => FileInShare[] {
  const byId = new Map(data.files.map((row) => [text(row.id), row]))
  const folders = new Folders(data.files, data.folders)
  const byShare = (rows: Row[]) => Map.groupBy(rows, ({ B }) => text(B))
  const [sharedFiles, sharedFolders] = [byShare(data._ShareFiles), byShare(data._ShareFolders)]
  return (shareId) => {
    const single = (sharedFiles.get(shareId) ?? []).map(({ A }) => byId.get(text(A))).filter((row) => row !== undefined)
    return [
      ...single.map((row) => ({ row, name: text(row.name) })),
      ...(sharedFolders.get(shareId) ?? []).flatMap(({ A }) => folders.filesBelow(text(A))),
    ]
  }
}
