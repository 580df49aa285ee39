import type { Insertable } from 'kysely'
import type { ConfigChange } from '../config/contract.ts'
import type { Context } from '../context.ts'
import type { FileTable, ReverseShareTable, ShareTable, UserTable } from '../db/schema.ts'
import type { SocialLink } from '../oauth/queries.ts'
import type { Pingvin } from './pingvin.ts'
import { planSettings } from './plan-settings.ts'
import { planReverseShares, planShares } from './plan-shares.ts'
import { planLinks, planUsers } from './plan-users.ts'

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
  /** Bytes on disk. */
  size: number
  path: string
}
export interface PlannedShare {
  row: Insertable<ShareTable> & { uid: string; createdAt: Date }
  recipients: string[]
  files: PlannedFile[]
}

/** The rows to import, and the reasons why other items are not imported. */
export interface Plan {
  users: Insertable<UserTable>[]
  links: Omit<SocialLink, 'id'>[]
  reverseShares: Insertable<ReverseShareTable>[]
  shares: PlannedShare[]
  settings: ConfigChange[]
  /** The number of items that already exist here, for example from an earlier run. */
  existing: Record<Kind, number>
  skipped: Note[]
  /** Imported, but with changes. */
  changed: Note[]
}

export type PlanContext = Pick<Context, 'db' | 'env' | 'now' | 'sealer' | 'log'>

/** Compares Pingvin Share's data with the data here. Changes nothing. */
export async function planImport(ctx: PlanContext, pingvin: Pingvin): Promise<Plan> {
  const plan: Plan = {
    ...{ users: [], links: [], reverseShares: [], shares: [], settings: [], skipped: [], changed: [] },
    existing: { accounts: 0, 'sign-ins elsewhere': 0, 'reverse shares': 0, shares: 0, settings: 0 },
  }
  const owners = await planUsers(ctx, pingvin, plan)
  await planLinks(ctx, pingvin, owners, plan)
  const reverseShares = await planReverseShares(ctx, pingvin, owners, plan)
  await planShares(ctx, pingvin, { owners, reverseShares }, plan)
  await planSettings(ctx, pingvin, plan)
  return plan
}
