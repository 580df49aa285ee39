import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, usage } from './failure.ts'
import { configFolder } from './folders.ts'

export interface Account {
  /** Where the server is, without a slash at the end. */
  url: string
  token?: string
}

const file = () => join(configFolder(), 'account.json')

/**
 * The server to talk to and the token for it: RAZORBILL_URL and RAZORBILL_TOKEN, else what `login` has stored. A stored token goes only to
 * the server that it was made for. Throws a Failure when no server is known.
 */
export function accountInUse(): Account {
  const stored = storedAccount()
  const given = process.env.RAZORBILL_URL
  const url = given ? serverUrl(given) : stored?.url
  if (!url) throw new Failure('signedOut', 'signed_out', 'No server is known yet. Run: razorbill login')
  const token = process.env.RAZORBILL_TOKEN || (stored?.url === url ? stored.token : undefined)
  return { url, ...(token && { token }) }
}

/** The account for the server at `url`: somebody else's server gets no token of ours. */
export function accountFor(url: string): Account {
  try {
    const account = accountInUse()
    return account.url === url ? account : { url }
  } catch {
    return { url }
  }
}

/** What `login` has stored; null when nothing is. */
export function storedAccount(): Account | null {
  try {
    return JSON.parse(readFileSync(file(), 'utf8')) as Account
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new Failure('failure', 'account_unreadable', `${file()} cannot be read: ${(error as Error).message}`)
  }
}

/** Readable by its owner alone. Answers the file's path. */
export function storeAccount(account: Account): string {
  mkdirSync(configFolder(), { recursive: true, mode: 0o700 })
  const fresh = `${file()}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 })
  chmodSync(fresh, 0o600)
  renameSync(fresh, file())
  return file()
}

/** Forgets what `login` has stored; fine when nothing is. */
export function forgetAccount(): void {
  rmSync(file(), { force: true })
}

/** The address as it is kept: with https where no scheme is given, http for this machine, and no slash at the end. */
export function serverUrl(text: string): string {
  const local = /^(localhost|127\.|\[::1\])/.test(text)
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${local ? 'http' : 'https'}://${text}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw usage(`"${text}" is no address of a server.`)
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/(?<!\/)\/+$/, '')
}
