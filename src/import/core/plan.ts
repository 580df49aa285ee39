import type { Insertable } from 'kysely'
import type { ConfigChange } from '../../config/contract.ts'
import type { Context } from '../../context.ts'
import type { FileTable, ReverseShareTable, ShareTable, UserTable } from '../../db/schema.ts'
import type { SocialLink } from '../../oauth/queries.ts'
import { planReverseShares, planShares } from './plan-shares.ts'
import { planLinks, planUsers } from './plan-users.ts'
import type { FoundBytes, Source } from './source.ts'

export const kinds = ['accounts', 'sign-ins elsewhere', 'reverse shares', 'shares', 'settings'] as const
export type Kind = (typeof kinds)[number]

/** A message about one item of the import, for the operator. */
export interface Note {
  kind: Kind
  name: string
  why: string
}

export interface PlannedFile extends Omit<Insertable<FileTable>, 'id' | 'size'> {
  id: string
  /** Bytes as they were found. */
  size: number
  found: FoundBytes
  sha1: string | null
  oldLinks: string[]
}
export interface PlannedShare {
  row: Insertable<ShareTable> & { uid: string; createdAt: Date }
  recipients: string[]
  files: PlannedFile[]
  oldLinks: string[]
}
export interface PlannedReverseShare {
  row: Insertable<ReverseShareTable>
  oldLinks: string[]
}

/** The rows to import, and the reasons why other items are not imported. */
export interface Plan {
  users: Insertable<UserTable>[]
  links: Omit<SocialLink, 'id'>[]
  reverseShares: PlannedReverseShare[]
  shares: PlannedShare[]
  settings: ConfigChange[]
  /** The number of items that already exist here, for example from an earlier run. */
  existing: Record<Kind, number>
  skipped: Note[]
  /** Imported, but with changes. */
  changed: Note[]
}

export type PlanContext = Pick<Context, 'db' | 'env' | 'now' | 'sealer' | 'log'>

/** What the operator decided. */
export interface ImportOptions {
  /** An account here with the same name is the same person, also without a common email address. */
  sameNames: boolean
}

/** Compares another product's data with the data here. Changes nothing. */
export async function planImport(ctx: PlanContext, source: Source, options: ImportOptions = { sameNames: false }): Promise<Plan> {
  const plan: Plan = {
    ...{ users: [], links: [], reverseShares: [], shares: [], settings: [], skipped: [], changed: [] },
    existing: { accounts: 0, 'sign-ins elsewhere': 0, 'reverse shares': 0, shares: 0, settings: 0 },
  }
  const owners = await planUsers(ctx, source, options, plan)
  await planLinks(ctx, source, owners, plan)
  const reverseShares = await planReverseShares(ctx, source, owners, plan)
  await planShares(ctx, source, { owners, reverseShares }, plan)
  await source.planSettings?.(ctx, plan)
  return plan
}
