import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { wrapSha1 } from '../../crypto/passwords.ts'
import { StartError } from '../../errors.ts'
import { bucketOfEnv, type ObjectFinder, openBucket } from '../core/bucket.ts'
import { findOnDisk } from '../core/disk.ts'
import { derivedLink, derivedUuid } from '../core/ids.ts'
import type { Source, SourceFile, SourceReverseShare, SourceShare, SourceUser } from '../core/source.ts'
import { type Row, type Rows, readSqlite, text } from '../core/sqlite.ts'
import { isEncrypted } from './gob.ts'

// The data of Gokapi 2 in SQLite. Each file has a link of its own, so it becomes a share of its own.

const product = 'Gokapi'
const megabyte = 1_048_576
/** For requests without a limit on their files. */
const manyUses = 1000

interface Config {
  dataDir: string
  database: string
  saltUsers: string
  saltFiles: string
}

interface Gokapi {
  rows: Rows
  config: Config
  bucket: ObjectFinder | null
}

/**
 * Reads Gokapi's database and `config/config.json` from the folder that holds both. `files` is the
 * data folder, if it is not the one that the configuration names.
 *
 * @throws {StartError} there is no database, or it can't be read
 */
export async function readGokapi(folder: string, files: string | null): Promise<Source> {
  const config = readConfig(folder, files)
  const bucketSettings = bucketOfEnv(process.env)
  const bucket = bucketSettings && openBucket(bucketSettings)
  const tables = readSqlite(product, config.database, (rows) =>
    Object.fromEntries(['Users', 'FileMetaData', 'UploadRequests'].map((name) => [name, rows(name)])),
  )
  const gokapi = { rows: (name: string) => tables[name] ?? [], config, bucket }
  return {
    product,
    users: await Promise.all(gokapi.rows('Users').map((row) => userOf(gokapi, row))),
    links: [],
    reverseShares: gokapi.rows('UploadRequests').map((row) => requestOf(gokapi, row)),
    shares: [...(await Promise.all(publicFiles(gokapi).map((row) => shareOf(gokapi, row)))), ...receivedShares(gokapi)],
    neverImported: 'Encrypted files, API keys, sessions and settings of Gokapi are not imported.',
    close: () => bucket?.close(),
  }
}

function readConfig(folder: string, files: string | null): Config {
  const path = [join(folder, 'config/config.json'), join(folder, 'config.json')].find(existsSync)
  if (!path)
    throw new StartError(`There is no config/config.json in ${folder}. Give the folder that holds Gokapi's config and data folders.`)
  const json = parsed(path)
  const { DataDir, DatabaseUrl, Authentication } = json
  const database = /^sqlite:\/\/(.+)$/.exec(text(DatabaseUrl))?.[1]
  if (!database) throw new StartError('Gokapi keeps its data in Redis. Move it to SQLite with its command migrate-database first.')
  const inside = (name: string) => (isAbsolute(name) ? name : join(folder, name))
  const dataDir = files ?? inside(text(DataDir) || 'data')
  const candidates = [inside(database), join(dataDir, database.split('/').at(-1) ?? '')]
  const salts = (Authentication ?? {}) as Row
  return {
    dataDir,
    database: candidates.find(existsSync) ?? inside(database),
    saltUsers: text(salts.SaltAdmin),
    saltFiles: text(salts.SaltFiles),
  }
}

function parsed(path: string): Row {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Row
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

const userId = (id: unknown) => derivedUuid('gokapi user', text(id))
const seconds = (value: unknown) => new Date(Number(value) * 1000)

async function userOf({ config }: Gokapi, row: Row): Promise<SourceUser> {
  const name = text(row.Name)
  const changes = Number(row.ResetPassword) === 1 ? ['had to choose a new password at its next sign-in to Gokapi'] : []
  return {
    id: userId(row.Id),
    username: name,
    email: /^[^@\s]+@[^@\s]+$/.test(name) ? name : null,
    passwordHash: await hashOf(text(row.Password), config.saltUsers),
    isAdmin: Number(row.Userlevel) < 2, // 0 is the super admin, 1 an admin
    totpSecret: null,
    createdAt: Number(row.LastOnline) > 0 ? seconds(row.LastOnline) : new Date(0),
    ...{ problem: null, changes },
  }
}

/**
 * Converts a password hash: salted SHA-1 up to 2.2.4, then argon2id with fixed costs. Returns null
 * for none, and a hash of another kind unchanged.
 */
async function hashOf(hash: string, salt: string): Promise<string | null> {
  if (hash === '') return null
  if (/^[0-9a-f]{40}$/.test(hash) && salt) return wrapSha1(hash, salt)
  const [, saltHex, hashHex] = /^argon2id\$([0-9a-f]+)\$([0-9a-f]{64})$/.exec(hash) ?? []
  if (!saltHex || !hashHex) return hash
  const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=28672,t=2,p=1$${base64(saltHex)}$${base64(hashHex)}`
}

const publicFiles = ({ rows }: Gokapi) => rows('FileMetaData').filter((row) => !text(row.UploadRequestId))

async function shareOf(gokapi: Gokapi, row: Row): Promise<SourceShare> {
  const [id, hotlink, count] = [text(row.Id), text(row.HotlinkId), Number(row.DownloadCount)]
  const isLimited = Number(row.UnlimitedDownloads) !== 1
  return {
    ...{ id, uid: derivedUuid('gokapi file', id, text(row.UploadDate)), name: text(row.Name), description: null },
    views: count,
    maxViews: isLimited ? Math.max(1, count + Number(row.DownloadsRemaining)) : null,
    expiresAt: Number(row.UnlimitedTime) === 1 ? null : seconds(row.ExpireAt),
    ...{ removedReason: null, reverseShareId: null, senderName: null, senderEmail: null, recipients: [], changes: [] },
    ownerId: userId(row.UserId),
    createdAt: seconds(row.UploadDate),
    passwordHash: await hashOf(text(row.PasswordHash), gokapi.config.saltFiles),
    problem: problemOf(gokapi, row) ?? (isLimited && Number(row.DownloadsRemaining) < 1 ? 'has no downloads left' : null),
    oldLinks: [`gokapi:${id}`, ...(hotlink ? [`gokapi-hotlink:${hotlink}`] : [])],
    files: async () => [fileOf(gokapi, row)],
  }
}

function problemOf({ bucket }: Gokapi, row: Row): string | null {
  if (Number(row.PendingDeletion) > 0) return 'is being deleted'
  if (isEncryptedRow(row)) return 'is encrypted, and only Gokapi can decrypt it: download it there and share it again'
  if (text(row.AwsBucket) && !bucket) return 'is in an S3 bucket: name it with IMPORT_S3_*'
  return null
}

function isEncryptedRow({ Encryption }: Row): boolean {
  try {
    return !(Encryption instanceof Uint8Array) || isEncrypted(Encryption)
  } catch {
    return true
  }
}

function fileOf(gokapi: Gokapi, row: Row): SourceFile {
  const { config, bucket } = gokapi
  const [sha1, problem] = [text(row.SHA1), problemOf(gokapi, row)]
  const isSafe = /^[0-9a-f]{40}$/.test(sha1)
  return {
    id: derivedUuid('gokapi bytes', text(row.Id)),
    name: text(row.Name),
    size: Number(row.SizeBytes),
    createdAt: seconds(row.UploadDate),
    ...(isSafe && { sha1 }),
    ...(problem && { problem }),
    find: async () => {
      if (!isSafe) return null
      return text(row.AwsBucket) ? (bucket?.find(sha1) ?? null) : findOnDisk(config.dataDir, join(config.dataDir, sha1))
    },
  }
}

/** A request to send files. Its link has the key that lets visitors upload. */
function requestOf({ rows }: Gokapi, row: Row): SourceReverseShare {
  const [id, key] = [text(row.id), text(row.apiKey)]
  const received = rows('FileMetaData').filter(({ UploadRequestId }) => text(UploadRequestId) === id).length
  const maxFiles = Number(row.maxFiles)
  return {
    id: derivedUuid('gokapi request', id),
    token: derivedLink(key, 'gokapi request', id),
    name: text(row.name) || null,
    ownerId: userId(row.userid),
    maxSize: Number(row.maxSize) > 0 ? Number(row.maxSize) * megabyte : null,
    remainingUses: maxFiles > 0 ? Math.max(0, maxFiles - received) : manyUses,
    ...{ passwordHash: null, sendEmailNotification: false, simplified: false, publicAccess: false },
    ...{ askName: 'off', askEmail: 'off', allowedTypes: [] },
    expiresAt: Number(row.expiry) > 0 ? seconds(row.expiry) : null,
    createdAt: seconds(row.creation),
    problem: null,
    changes: text(row.note) ? ['its note is not shown here'] : [],
    oldLinks: [`gokapi-request:${id}:${key}`],
  }
}

/** The files that a request received become one private share of its owner. */
function receivedShares(gokapi: Gokapi): SourceShare[] {
  const requests = new Map(gokapi.rows('UploadRequests').map((row) => [text(row.id), row]))
  const received = gokapi.rows('FileMetaData').filter((row) => text(row.UploadRequestId))
  return [...Map.groupBy(received, (row) => text(row.UploadRequestId))].map(([id, files]) => {
    const request = requests.get(id)
    return {
      id: derivedLink(text(request?.apiKey), 'gokapi received', id),
      uid: derivedUuid('gokapi received', id),
      name: text(request?.name) || null,
      ...{ description: null, views: 0, maxViews: null, expiresAt: null, removedReason: null, ownerId: null },
      reverseShareId: derivedUuid('gokapi request', id),
      ...{ senderName: null, senderEmail: null, recipients: [], changes: [], oldLinks: [], passwordHash: null },
      createdAt: new Date(Math.max(...files.map((row) => Number(row.UploadDate))) * 1000),
      problem: request ? null : 'its request was deleted',
      files: async () => files.map((row) => fileOf(gokapi, row)),
    }
  })
}
