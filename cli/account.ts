import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, usage } from './failure.ts'
import { configFolder } from './folders.ts'

export interface Account {
  /** The server's URL, without a trailing slash. */
  url: string
  token?: string
}

const file = () => join(configFolder(), 'account.json')

/**
 * Returns the server and its token: RAZORBILL_URL and RAZORBILL_TOKEN, or what `login` has stored.
 * A stored token is sent only to the server that it was created for.
 * @throws Failure `signed_out` when no server is configured
 */
export function accountInUse(): Account {
  const stored = storedAccount()
  const urlFromEnvironment = process.env.RAZORBILL_URL
  const url = urlFromEnvironment ? serverUrl(urlFromEnvironment) : stored?.url
  if (!url) throw new Failure('signedOut', 'signed_out', 'No server is known yet. Run: razorbill login')
  const token = process.env.RAZORBILL_TOKEN || (stored?.url === url ? stored.token : undefined)
  return { url, ...(token && { token }) }
}

/** Returns the account for the server at `url`, without a token when it is another server. */
export function accountFor(url: string): Account {
  try {
    const account = accountInUse()
    return account.url === url ? account : { url }
  } catch {
    return { url }
  }
}

/** Returns what `login` has stored, or null. */
export function storedAccount(): Account | null {
  try {
    return JSON.parse(readFileSync(file(), 'utf8')) as Account
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new Failure('failure', 'account_unreadable', `${file()} cannot be read: ${(error as Error).message}`)
  }
}

/** Stores the account in a file that only its owner can read, and returns the file's path. */
export function storeAccount(account: Account): string {
  mkdirSync(configFolder(), { recursive: true, mode: 0o700 })
  const temporary = `${file()}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  renameSync(temporary, file())
  return file()
}

/** Deletes what `login` has stored, if anything. */
export function forgetAccount(): void {
  rmSync(file(), { force: true })
}

/**
 * Normalizes a server's URL: https where there is no scheme, http for this machine, and no trailing
 * slash.
 */
export function serverUrl(text: string): string {
  const isLocal = /^(localhost|127\.|\[::1\])/.test(text)
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${isLocal ? 'http' : 'https'}://${text}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw usage(`"${text}" is no address of a server.`)
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/(?<!\/)\/+$/, '')
}
