import { existsSync } from 'node:fs'
import { basename, isAbsolute, posix, resolve } from 'node:path'
import { unlimitedUses } from '../../reverse-shares/limits.ts'
import { derivedUuid } from '../core/ids.ts'
import type { Source, SourceReverseShare, SourceShare, SourceUser } from '../core/source.ts'
import { text } from '../core/sqlite.ts'
import { isSqlite, openSqliteStore } from './quantum-sqlite.ts'
import { shareFields, userId } from './read.ts'
import { databaseAt, type Json, openStore, type Store } from './store.ts'
import { sharedFiles } from './walk.ts'

// The data of FileBrowser Quantum, in bbolt (version 1) or SQLite (version 2). Shares name a source,
// which is a folder, and a path in it.

const product = 'FileBrowser Quantum'

/**
 * Reads the database of FileBrowser Quantum. `files` is the folder of its source, if that is not
 * where the database says; with several sources, the folder that holds them.
 *
 * @throws {StartError} there is no database, or it can't be read
 */
export function readQuantum(path: string, files: string | null): Source {
  const file = databaseAt(path, ['filebrowser.sqlite', 'database.db', 'filebrowser.db'])
  const store = isSqlite(file) ? openSqliteStore(product, file) : openStore(product, file)
  const users = new Map(store.all('User').map((user) => [text(user.id), user]))
  const links = store.all('Link')
  const [uploads, shares] = [links.filter(isUpload), links.filter((link) => !isUpload(link))]
  const folders = foldersOf(links, files)
  const restricted = restrictedSources(store)
  return {
    product,
    users: [...users.values()].map(userOf),
    links: [],
    reverseShares: uploads.map(uploadOf),
    shares: shares.map((link) => shareOf(link, users.get(text(link.userID)), folders, restricted)),
    neverImported:
      `Files that are not shared, tokens, access rules and settings of ${product} are not imported. ` +
      'Rules in the config.yaml of version 2 are not known here, so shared folders are imported with files that such rules hide.',
  }
}

const isUpload = ({ shareType }: Json) => shareType === 'upload'
const expiryOf = ({ expire }: Json) => (Number(expire) > 0 ? new Date(Number(expire) * 1000) : null)

/** Maps the sources' paths in the database to folders here. */
function foldersOf(links: Json[], files: string | null): ReadonlyMap<string, string> {
  const sources = [...new Set(links.map(({ source }) => text(source)))]
  const folder = (source: string) => {
    if (files === null) return source
    const inside = resolve(files, basename(resolve('/', source)))
    return sources.length > 1 && existsSync(inside) ? inside : resolve(files)
  }
  return new Map(sources.map((source) => [source, folder(source)]))
}

/** Returns the sources with rules about who may see what. They are not known here. */
function restrictedSources(store: Store): ReadonlySet<string> {
  const rules = (store.value('access_rules', 'rules')?.all_rules ?? {}) as Json
  const sources = ((store.value('config', 'server')?.sources ?? []) as Json[]).filter(hasRules).map(({ path }) => text(path))
  return new Set([...Object.keys(rules).filter((source) => Object.keys((rules[source] ?? {}) as Json).length > 0), ...sources])
}

function hasRules({ config }: Json): boolean {
  const { rules, conditionals, private: isPrivate } = (config ?? {}) as Json
  return isPrivate === true || isFilled(rules) || isFilled((conditionals as Json | undefined)?.rules)
}

const isFilled = (rules: unknown) => Array.isArray(rules) && rules.length > 0

function userOf(user: Json): SourceUser {
  const { id, username, password, permissions, perm, otpEnabled, totpSecret, totpNonce, loginMethod } = user
  const hasPassword = loginMethod === undefined || loginMethod === '' || loginMethod === 'password'
  const hasSecondFactor = otpEnabled === true && text(totpSecret) !== ''
  const isSealed = hasSecondFactor && text(totpNonce) !== ''
  return {
    ...{ id: userId(id), username: text(username), email: null, createdAt: new Date(0) },
    passwordHash: hasPassword ? text(password) || null : null,
    isAdmin: ((permissions ?? perm) as Json | undefined)?.admin === true,
    totpSecret: hasSecondFactor && !isSealed ? text(totpSecret) : null,
    problem: isSealed ? 'its authenticator secret is encrypted, and without it the password alone would be enough to sign in' : null,
    changes: hasPassword ? [] : [`signed in with ${text(loginMethod)}: it has no password until one is set`],
  }
}

function uploadOf(link: Json): SourceReverseShare {
  const { hash, title, userID, password_hash: passwordHash } = link
  return {
    ...{ id: derivedUuid('filebrowser upload', text(hash)), token: text(hash), name: text(title) || null, ownerId: userId(userID) },
    ...{ maxSize: null, remainingUses: unlimitedUses, sendEmailNotification: false, simplified: false, publicAccess: false },
    ...{ askName: 'off', askEmail: 'off', allowedTypes: [], createdAt: new Date(0) },
    passwordHash: text(passwordHash) || null,
    expiresAt: expiryOf(link),
    problem: problemOf(link),
    changes: ['files are received as shares of its owner, not into a folder'],
    oldLinks: [`filebrowser:${text(hash)}`],
  }
}

function shareOf(link: Json, owner: Json | undefined, folders: ReadonlyMap<string, string>, restricted: ReadonlySet<string>): SourceShare {
  const {
    hash,
    path,
    source,
    userID,
    title,
    description,
    downloadsLimit,
    downloads,
    showHidden,
    hideFileExt,
    password_hash: passwordHash,
  } = link
  const limit = Number(downloadsLimit ?? 0)
  const hidden = text(hideFileExt)
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((extension) => extension.replace(/^\.?/, '.'))
  const isVisible = (path: string) => {
    const name = posix.basename(path).toLowerCase()
    return (showHidden === true || !name.startsWith('.')) && !hidden.some((extension) => name.endsWith(extension))
  }
  const root = folders.get(text(source)) ?? text(source)
  const ownership = owner ? null : 'its owner was deleted'
  // A relative path would mean a folder of Razorbill here.
  const location = isAbsolute(root) ? null : 'the path of its source is not absolute: give its folder with --files'
  const rules = restricted.has(text(source)) ? 'its source has access rules, which are not known here: share it again' : null
  const fields = shareFields(text(hash), text(path))
  return {
    ...fields,
    name: text(title) || fields.name,
    description: text(description) || null,
    views: Number(downloads ?? 0),
    maxViews: limit > 0 ? limit : null,
    ownerId: userId(userID),
    expiresAt: expiryOf(link),
    passwordHash: text(passwordHash) || null,
    problem: ownership ?? location ?? rules ?? problemOf(link),
    changes: link.allowCreate === true || link.allowModify === true ? ['visitors can no longer change its files'] : [],
    files: () => sharedFiles(text(hash), root, posix.join('/', text(path)).replace(/(?<=.)\/$/, ''), isVisible),
  }
}

function problemOf({
  disableAnonymous,
  perUserDownloadLimit,
  allowedUsernames,
  disableDownload,
  downloadsLimit,
  downloads,
}: Json): string | null {
  if (disableAnonymous === true || perUserDownloadLimit === true || (Array.isArray(allowedUsernames) && allowedUsernames.length > 0))
    return 'only some signed-in users may open it, which does not exist here'
  if (disableDownload === true) return 'its files can be seen but not downloaded, which does not exist here'
  return Number(downloadsLimit) > 0 && Number(downloads) >= Number(downloadsLimit) ? 'has no downloads left' : null
}
