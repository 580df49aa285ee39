import type { CreatedShare } from './contract.ts'
import type { Share } from './queries.ts'

/** How a time goes over the wire: ISO 8601 in UTC; 1970-01-01T00:00:00.000Z says "never". */
export function timeOf(date: Date | null): string {
  return (date ?? new Date(0)).toISOString()
}

/** A share as its maker gets it back. `baseUrl` is where this installation is reached. */
export function createdShare(share: Share, baseUrl: string, ownerToken?: string): CreatedShare {
  const { id, name, description, expiresAt } = share
  return { id, name, description, expiration: timeOf(expiresAt), link: linkOf(baseUrl, id), ...(ownerToken && { ownerToken }) }
}

/** The address that a share's maker passes on. */
export function linkOf(baseUrl: string, id: string): string {
  return `${baseUrl}/share/${id}`
}
