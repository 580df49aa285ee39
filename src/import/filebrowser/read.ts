import { isAbsolute, join } from 'node:path'
import { StartError } from '../../errors.ts'
import { derivedUuid } from '../core/ids.ts'
import type { Source, SourceShare, SourceUser } from '../core/source.ts'
import { text } from '../core/sqlite.ts'
import { visibility } from './rules.ts'
import { databaseAt, type Json, openStore, type Store } from './store.ts'
import { type IsVisible, sharedFiles } from './walk.ts'

// The data of FileBrowser 2. A share is a link to a file or folder of its owner, whose scope is a
// folder below the root. What is imported is what the folder holds at the time.

/**
 * Reads FileBrowser's database. `files` is its root, if that is not where the database says.
 *
 * @throws {StartError} there is no database, it can't be read, or it has no absolute root and
 *   `files` is null
 */
export function readFileBrowser(path: string, files: string | null): Source {
  const store = openStore('FileBrowser', databaseAt(path, ['filebrowser.db', 'database.db']))
  const root = files ?? rootOf(store)
  const users = new Map(store.all('User').map((user) => [Number(user.id), user]))
  const settings = store.value('config', 'settings')
  return {
    product: 'FileBrowser',
    users: [...users.values()].map(userOf),
    ...{ links: [], reverseShares: [] },
    shares: store.all('Link').map((link) => shareOf(link, users.get(Number(link.userID)), { settings, root })),
    neverImported: 'Files that are not shared, commands, rules and settings of FileBrowser are not imported.',
  }
}

/** A relative root, such as the default `.`, would mean a folder of Razorbill here. */
function rootOf(store: Store): string {
  const root = text(store.value('config', 'server')?.root)
  if (isAbsolute(root)) return root
  throw new StartError(`The root in FileBrowser's database is "${root}", which is not an absolute path. Give it with --files <folder>.`)
}

/** Returns the id that a user gets here. */
export const userId = (id: unknown) => derivedUuid('filebrowser user', text(id))

function userOf({ id, username, password, perm }: Json): SourceUser {
  return {
    ...{ id: userId(id), username: text(username), email: null, totpSecret: null, createdAt: new Date(0), problem: null, changes: [] },
    passwordHash: text(password) || null,
    isAdmin: (perm as Json | undefined)?.admin === true,
  }
}

interface Site {
  settings: Json | undefined
  root: string
}

function shareOf(link: Json, owner: Json | undefined, { settings, root }: Site): SourceShare {
  const [isVisible, problem] = access(settings, owner)
  const { hash, path, userID, expire, password_hash: passwordHash } = link
  return {
    ...shareFields(text(hash), text(path)),
    ownerId: userId(userID),
    expiresAt: Number(expire) > 0 ? new Date(Number(expire) * 1000) : null,
    passwordHash: text(passwordHash) || null,
    problem,
    files: () => sharedFiles(text(hash), join(root, join('/', text(owner?.scope))), join('/', text(path)), isVisible),
  }
}

/** Returns what the visitors of an owner's shares may see, or why they see nothing. */
function access(settings: Json | undefined, owner: Json | undefined): [IsVisible, string | null] {
  const nothing: IsVisible = () => false
  const { share, download } = (owner?.perm ?? {}) as Json
  if (!owner) return [nothing, 'its owner was deleted']
  if (share !== true || download !== true) return [nothing, 'its owner may not share files in FileBrowser']
  try {
    return [visibility(settings, owner), null]
  } catch {
    return [nothing, 'a rule has a regular expression that only FileBrowser understands']
  }
}

/** Returns the fields that are the same for all shares of both FileBrowsers. */
export function shareFields(hash: string, path: string) {
  const name = path.split('/').filter(Boolean).at(-1) ?? null
  return {
    ...{ id: hash, uid: derivedUuid('filebrowser share', hash), name, description: null, createdAt: new Date(0) },
    ...{ views: 0, maxViews: null, removedReason: null, reverseShareId: null, senderName: null, senderEmail: null },
    ...{ recipients: [], changes: [], oldLinks: [`filebrowser:${hash}`] },
  }
}
