import { session } from '../storage.ts'

const key = 'text-draft'

/** Returns the text that the user is about to share in this tab; null if there is none. */
export function readDraft(): string | null {
  return session.get(key)
}

/** Keeps a text in this tab until it is shared. */
export function writeDraft(text: string): void {
  session.set(key, text)
}

/** Forgets the text, because it was shared or discarded, or the user signs out. */
export function forgetDraft(): void {
  session.remove(key)
}
