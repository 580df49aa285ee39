import type { Readable } from 'node:stream'
import type { Plan, PlanContext } from './plan.ts'

// The data of another product in the terms of this one. Each product's reader returns a `Source`,
// and the rest of the import is the same for all. Ids are UUIDs: the product's own, or derived
// ones.

export interface SourceUser {
  id: string
  username: string
  /** null if the product does not store email addresses. */
  email: string | null
  /** False if the product knows that the user has not confirmed the address. */
  emailVerified?: boolean
  /** A hash that `verifyPassword` can check; null: no password. */
  passwordHash: string | null
  isAdmin: boolean
  /** null unless the second factor is turned on. */
  totpSecret: string | null
  createdAt: Date
  /** Why the account can't be imported; null if it can. */
  problem: string | null
  /** What is different here. */
  changes: string[]
}

export interface SourceLink {
  provider: string
  subject: string
  username: string
  userId: string
}

export interface SourceReverseShare {
  id: string
  token: string
  name: string | null
  ownerId: string
  passwordHash: string | null
  /** Bytes; null: as much as a share may have here. */
  maxSize: number | null
  remainingUses: number
  sendEmailNotification: boolean
  simplified: boolean
  publicAccess: boolean
  askName: FieldRule
  askEmail: FieldRule
  allowedTypes: string[]
  /** null: never. */
  expiresAt: Date | null
  createdAt: Date
  problem: string | null
  changes: string[]
  /** Addresses under which the product offered it (see `oldLinkOf`). */
  oldLinks: string[]
}
export type FieldRule = 'off' | 'optional' | 'required'

export interface SourceShare {
  /** The link here. */
  id: string
  uid: string
  name: string | null
  description: string | null
  views: number
  maxViews: number | null
  /** null: never. */
  expiresAt: Date | null
  removedReason: string | null
  ownerId: string | null
  reverseShareId: string | null
  senderName: string | null
  senderEmail: string | null
  createdAt: Date
  passwordHash: string | null
  recipients: string[]
  problem: string | null
  changes: string[]
  oldLinks: string[]
  /** Lists the files. Called only for shares that are imported. */
  files(): Promise<SourceFile[]>
}

export interface SourceFile {
  id: string
  /** With its folders. */
  name: string
  /** Bytes that the product's database announces; null if it announces none. */
  size: number | null
  createdAt: Date
  /** The SHA-1 of the bytes in hexadecimal, if the product stores it. */
  sha1?: string
  /** Why the file can't be imported. */
  problem?: string
  /** Addresses of this file alone. */
  oldLinks?: string[]
  /** What the report says when `find` returns null; default: the file does not exist. */
  whenMissing?: string
  /** Finds the bytes; null if they don't exist. */
  find(): Promise<FoundBytes | null>
}

export interface FoundBytes {
  size: number
  open(): Promise<Readable>
}

export interface Source {
  /** The product's name in texts. */
  product: string
  users: SourceUser[]
  links: SourceLink[]
  reverseShares: SourceReverseShare[]
  shares: SourceShare[]
  /** Plans the import of settings, for products whose settings exist here. */
  planSettings?(ctx: PlanContext, plan: Plan): Promise<void>
  /** What is never imported, as a sentence. */
  neverImported: string
  /** Releases connections. */
  close?(): void
}
