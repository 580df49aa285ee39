import { wrapSha1 } from '../../crypto/passwords.ts'
import { bucketOfEnv, openBucket } from '../core/bucket.ts'
import { derivedUuid } from '../core/ids.ts'
import type { Source, SourceShare, SourceUser } from '../core/source.ts'
import { type Row, readSqlite, text } from '../core/sqlite.ts'
import { readConfig } from './config.ts'
import { fileOf, type Gokapi, problemOf, seconds, userId } from './files.ts'
import { receivedShares, requestOf } from './requests.ts'

// The data of Gokapi 2 in SQLite. Each file has a link of its own, so it becomes a share of its
// own.

const product = 'Gokapi'

/**
 * Reads Gokapi's database and `config/config.json` from the folder that holds both. `files` is the
 * data folder, if it is not the one that the configuration names.
 *
 * @throws {StartError} there is no database, or it can't be read
 */
export async function readGokapi(folder: string, files: string | null): Promise<Source> {
  const config = readConfig(folder, files)
  const tables = readSqlite(product, config.database, (rows) =>
    Object.fromEntries(['Users', 'FileMetaData', 'UploadRequests'].map((name) => [name, rows(name)])),
  )
  const bucketSettings = bucketOfEnv(process.env)
  const bucket = bucketSettings && openBucket(bucketSettings)
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
