import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Test } from 'tap'

type Value = string | number | null

const id = 'id TEXT NOT NULL PRIMARY KEY'
const times = ['createdAt DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP', 'updatedAt DATETIME']

/** The columns of Palmr 3.3's Prisma schema that hold data, without constraints between tables. */
const tables: Record<string, string[]> = {
  users: [
    id,
    'username TEXT',
    'email TEXT',
    'password TEXT',
    'isAdmin BOOLEAN DEFAULT false',
    'isActive BOOLEAN DEFAULT true',
    'twoFactorEnabled BOOLEAN DEFAULT false',
    'twoFactorSecret TEXT',
    ...times,
  ],
  files: [id, 'name TEXT', 'extension TEXT', 'size BIGINT', 'objectName TEXT', 'userId TEXT', 'folderId TEXT', ...times],
  folders: [id, 'name TEXT', 'objectName TEXT', 'parentId TEXT', 'userId TEXT', ...times],
  shares: [
    id,
    'name TEXT',
    'views INTEGER DEFAULT 0',
    'expiration DATETIME',
    'description TEXT',
    'creatorId TEXT',
    'securityId TEXT',
    ...times,
  ],
  share_security: [id, 'password TEXT', 'maxViews INTEGER', ...times],
  share_recipients: [id, 'email TEXT', 'shareId TEXT', ...times],
  share_aliases: [id, 'alias TEXT', 'shareId TEXT', ...times],
  _ShareFiles: ['A TEXT', 'B TEXT'],
  _ShareFolders: ['A TEXT', 'B TEXT'],
  reverse_shares: [
    id,
    'name TEXT',
    'description TEXT',
    'expiration DATETIME',
    'maxFiles INTEGER',
    'maxFileSize BIGINT',
    'allowedFileTypes TEXT',
    'password TEXT',
    'isActive BOOLEAN DEFAULT true',
    "nameFieldRequired TEXT DEFAULT 'OPTIONAL'",
    "emailFieldRequired TEXT DEFAULT 'OPTIONAL'",
    'creatorId TEXT',
    ...times,
  ],
  reverse_share_files: [
    id,
    'name TEXT',
    'extension TEXT',
    'size BIGINT',
    'objectName TEXT',
    'uploaderEmail TEXT',
    'uploaderName TEXT',
    'reverseShareId TEXT',
    ...times,
  ],
  reverse_share_aliases: [id, 'alias TEXT', 'reverseShareId TEXT', ...times],
}

/** The data folder of Palmr 3, as far as the import reads it. */
export class PalmrFolder {
  readonly folder: string
  readonly #database: DatabaseSync
  #count = 0

  constructor(t: Test) {
    this.folder = mkdtempSync(join(tmpdir(), 'palmr-'))
    t.teardown(() => rmSync(this.folder, { recursive: true, force: true }))
    mkdirSync(join(this.folder, 'prisma'))
    this.#database = new DatabaseSync(join(this.folder, 'prisma/palmr.db'))
    for (const [table, columns] of Object.entries(tables)) this.#database.exec(`create table "${table}" (${columns.join(', ')})`)
  }

  /** Inserts a row. Returns its id, which looks like one of Palmr's. */
  insert(table: string, row: Record<string, Value>): string {
    const filled: Record<string, Value> = {
      ...(!table.startsWith('_') && { id: `cmpalmr${String(this.#count++).padStart(18, '0')}` }),
      ...row,
    }
    const names = Object.keys(filled).map((name) => `"${name}"`)
    const places = names.map(() => '?').join(', ')
    this.#database.prepare(`insert into "${table}" (${names.join(', ')}) values (${places})`).run(...Object.values(filled))
    return String(filled.id)
  }

  /** Writes a file into the folder `uploads`. Returns the columns that describe it. */
  bytes(owner: string, name: string, content: string): Record<string, Value> {
    const objectName = `${owner}/${Date.now()}-${this.#count++}-${name}`
    const path = join(this.folder, 'uploads', objectName.replace(/[^a-zA-Z0-9\-_./]/g, '_'))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return { name, extension: name.split('.').at(-1) ?? '', size: content.length, objectName, createdAt: Date.UTC(2025, 4, 1) }
  }

  /** Creates a share with a link. */
  share(alias: string, row: Record<string, Value>, security: Record<string, Value> = {}): string {
    const securityId = this.insert('share_security', security)
    const share = this.insert('shares', { createdAt: Date.UTC(2025, 4, 2), securityId, ...row })
    this.insert('share_aliases', { alias, shareId: share })
    return share
  }

  row(table: string, rowId: string): Record<string, unknown> {
    return this.#database.prepare(`select * from "${table}" where id = ?`).get(rowId) ?? {}
  }

  close(): void {
    this.#database.close()
  }
}
