import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash } from '@node-rs/argon2'
import type { Test } from 'tap'

export type Version = '0.22' | '1.13' | 'X 2'
type Value = string | number | null | undefined

/** The cost parameters of Pingvin Share's hashes. */
export const pingvinHash = (password: string) => hash(password, { memoryCost: 65_536, timeCost: 3, parallelism: 4 })

const uuidKey = 'id TEXT NOT NULL PRIMARY KEY'
const created = 'createdAt DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP'
const off = (name: string) => `${name} BOOLEAN NOT NULL DEFAULT false`

/** The columns as the version's migrations leave them, without constraints between tables. */
function tables(version: Version): Record<string, string[]> {
  const since = (...columns: string[]) => (version === '0.22' ? [] : columns)
  const sinceX = (...columns: string[]) => (version === 'X 2' ? columns : [])
  return {
    User: [
      ...[uuidKey, created, 'updatedAt DATETIME NOT NULL', 'username TEXT NOT NULL UNIQUE', 'email TEXT NOT NULL UNIQUE', 'password TEXT'],
      ...[off('isAdmin'), off('totpEnabled'), off('totpVerified'), 'totpSecret TEXT'],
      ...since('ldapDN TEXT'),
      ...sinceX('shareSizeLimit TEXT', 'storageQuotaLimit TEXT', 'isActivated BOOLEAN NOT NULL DEFAULT true'),
    ],
    OAuthUser: [uuidKey, ...['provider', 'providerUserId', 'providerUsername', 'userId'].map((name) => `${name} TEXT NOT NULL`)],
    Share: [
      ...[uuidKey, created, ...since('name TEXT'), off('uploadLocked'), off('isZipReady'), 'views INTEGER NOT NULL DEFAULT 0'],
      ...['expiration DATETIME NOT NULL', 'description TEXT', 'removedReason TEXT', 'creatorId TEXT', 'reverseShareId TEXT'],
      ...since("storageProvider TEXT NOT NULL DEFAULT 'LOCAL'"),
    ],
    ReverseShare: [
      ...[uuidKey, created, 'token TEXT NOT NULL UNIQUE', 'shareExpiration DATETIME NOT NULL', 'maxShareSize TEXT NOT NULL'],
      ...['sendEmailNotification BOOLEAN NOT NULL', 'remainingUses INTEGER NOT NULL', 'creatorId TEXT NOT NULL'],
      ...since(off('simplified'), 'publicAccess BOOLEAN NOT NULL DEFAULT true'),
    ],
    ShareRecipient: [uuidKey, 'email TEXT NOT NULL', 'shareId TEXT NOT NULL'],
    File: [uuidKey, created, 'name TEXT NOT NULL', 'size TEXT NOT NULL', 'shareId TEXT NOT NULL'],
    ShareSecurity: [uuidKey, created, 'password TEXT', 'maxViews INTEGER', 'shareId TEXT UNIQUE', ...sinceX(off('restrictToRecipients'))],
    ...(version === 'X 2' && { ShareUserRecipient: [uuidKey, created, 'userId TEXT NOT NULL', 'shareId TEXT NOT NULL'] }),
    Config: [
      ...['updatedAt DATETIME NOT NULL', 'name TEXT NOT NULL', 'category TEXT NOT NULL', 'type TEXT NOT NULL'],
      ...["defaultValue TEXT NOT NULL DEFAULT ''", 'value TEXT', off('obscured'), 'secret BOOLEAN NOT NULL DEFAULT true', off('locked')],
      ...['"order" INTEGER NOT NULL', 'PRIMARY KEY (name, category)'],
    ],
  }
}

/** The data folder of Pingvin Share, as one of its versions leaves it. */
export class PingvinFolder {
  readonly folder: string
  readonly #database: DatabaseSync

  constructor(t: Test, version: Version) {
    this.folder = mkdtempSync(join(tmpdir(), 'pingvin-'))
    t.teardown(() => rmSync(this.folder, { recursive: true, force: true }))
    this.#database = new DatabaseSync(join(this.folder, 'pingvin-share.db'))
    for (const [table, columns] of Object.entries(tables(version))) this.#database.exec(`create table "${table}" (${columns.join(', ')})`)
  }

  /** Inserts a row. Returns its id. */
  insert(table: string, row: Record<string, Value>): string {
    const filled: Record<string, Value> = { ...(table !== 'Config' && { id: randomUUID() }), ...row }
    const entries = Object.entries(filled).filter(([, value]) => value !== undefined) as [string, string | number | null][]
    const names = entries.map(([name]) => `"${name}"`).join(', ')
    const places = entries.map(() => '?').join(', ')
    this.#database.prepare(`insert into "${table}" (${names}) values (${places})`).run(...entries.map(([, value]) => value))
    return String(filled.id)
  }

  user(username: string, more: Record<string, Value> = {}): string {
    return this.insert('User', { username, email: `${username}@example.com`, updatedAt: Date.now(), ...more })
  }

  /** Creates a completed share that never expires, with these files. Returns their ids. */
  share(id: string, files: Record<string, Buffer | string>, more: Record<string, Value> = {}): string[] {
    this.insert('Share', { id, createdAt: Date.UTC(2024, 1, 29), uploadLocked: 1, isZipReady: 1, expiration: 0, ...more })
    mkdirSync(join(this.folder, 'uploads/shares', id), { recursive: true })
    return Object.entries(files).map(([name, bytes]) => {
      const fileId = this.insert('File', { name, size: String(Buffer.byteLength(bytes)), shareId: id })
      writeFileSync(join(this.folder, 'uploads/shares', id, fileId), bytes)
      return fileId
    })
  }

  set(key: string, value: string): void {
    const [category = '', name = ''] = key.split('.')
    this.insert('Config', { category, name, value, type: 'string', order: 0, updatedAt: Date.now() })
  }

  close(): void {
    this.#database.close()
  }
}
