import { local } from '../storage.ts'

/** Returns the highest revision of a share's document that this browser has opened; 0: none. */
export const seenRevision = (id: string): number => Number(local.get(entryOf(id)))

/** Records the revision of a published document. An older one is refused from then on. */
export function recordRevision(id: string, revision: number): void {
  local.set(entryOf(id), String(Math.max(revision, seenRevision(id))))
}

const entryOf = (id: string) => `revision:${id}`
