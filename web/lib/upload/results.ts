import type { NewLink } from '../../../src/shares/links/contract.ts'
import type { SentThrough } from '../../../uploader/journal.ts'
import { session } from '../storage.ts'

/** A link that could not be added to a share. */
export interface MissingLink {
  body: NewLink
  /** Why, in the user's language. */
  problem: string
}

/** What the page with a new share's link shows, but the server does not return. */
export interface Result {
  password?: string
  /** Links that could not be added. */
  missingLinks?: MissingLink[]
  /** The reverse share that it was sent through. */
  through?: SentThrough
}

const key = 'results'
const maxResults = 20

/** Remembers in this tab how a share was created, so that a reload shows the same result. */
export function rememberResult(id: string, result: Result): void {
  session.set(key, JSON.stringify([...read().filter(([known]) => known !== id), [id, result]].slice(-maxResults)))
}

/** Returns how a share was created in this tab; null if it wasn't. */
export function resultOf(id: string): Result | null {
  return read().find(([known]) => known === id)?.[1] ?? null
}

/** Forgets all results of this tab, when its user signs out. */
export function forgetResults(): void {
  session.remove(key)
}

function read(): [id: string, result: Result][] {
  try {
    return JSON.parse(session.get(key) ?? '[]') as [string, Result][]
  } catch {
    return []
  }
}
