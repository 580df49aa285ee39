import { session } from '../../lib/storage.ts'

/** What a sender has delivered with the last use of an upload link. */
export interface LastDelivery {
  /** The username of the recipient. */
  to: string
  /** The number of files. */
  count: number
}

/** Records in this tab whether a share consumes the last use of an upload link. */
export function rememberLastUse(token: string, isLast: boolean): void {
  if (isLast) session.set(lastUseEntry(token), 'true')
  else session.remove(lastUseEntry(token))
  session.remove(deliveryEntry(token))
}

/** Whether the share that was created last through an upload link consumed its last use. */
export function wasLastUse(token: string): boolean {
  return session.get(lastUseEntry(token)) !== null
}

/** Records that the share has arrived, so that a reload still thanks the sender. */
export function rememberDelivery(token: string, delivery: LastDelivery): void {
  session.set(deliveryEntry(token), JSON.stringify(delivery))
}

/** Returns what was delivered with the last use; null if there is none. */
export function lastDelivery(token: string): LastDelivery | null {
  const stored = session.get(deliveryEntry(token))
  return stored === null ? null : JSON.parse(stored)
}

const lastUseEntry = (token: string) => `last-use:${token}`
const deliveryEntry = (token: string) => `delivered:${token}`
