import type { authContract } from './auth/contract.ts'
import type { configContract } from './config/contract.ts'
import type { downloadsContract } from './downloads/contract.ts'
import type { oauthContract } from './oauth/contract.ts'
import type { reverseSharesContract } from './reverse-shares/contract.ts'
import type { sharesContract } from './shares/contract.ts'
import type { systemContract } from './system/contract.ts'
import type { uploadsContract } from './uploads/contract.ts'
import type { scriptsContract } from './uploads/scripts-contract.ts'
import type { usersContract } from './users/contract.ts'

/** Every call of the product: what the typed clients are made from. */
export type Api = typeof authContract &
  typeof configContract &
  typeof downloadsContract &
  typeof oauthContract &
  typeof reverseSharesContract &
  typeof scriptsContract &
  typeof sharesContract &
  typeof systemContract &
  typeof uploadsContract &
  typeof usersContract
