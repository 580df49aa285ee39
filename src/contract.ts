import type { authContract } from './auth/contract.ts'
import type { configContract } from './config/contract.ts'
import type { PublicSettings } from './config/settings.ts'
import type { downloadsContract, ShareStart } from './downloads/contract.ts'
import type { oauthContract } from './oauth/contract.ts'
import type { Provider } from './oauth/limits.ts'
import type { PagePreferences } from './pages/page-html.ts'
import type { reverseSharesContract } from './reverse-shares/contract.ts'
import type { sharesContract } from './shares/contract.ts'
import type { systemContract } from './system/contract.ts'
import type { uploadsContract } from './uploads/contract.ts'
import type { scriptsContract } from './uploads/form/contract.ts'
import type { UserDTO, usersContract } from './users/contract.ts'

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

/** What the server puts into every page, so that it starts without another call. `settings` is null when the database cannot be reached. */
export interface StartData extends PagePreferences {
  user: UserDTO | null
  /** ISO 8601; null for a visitor. */
  accessTokenExpiresAt: string | null
  settings: PublicSettings | null
  /** Whether signing up creates the first account, for which this visitor must give the setup code. */
  setupCodeRequired: boolean
  /** Whose accounts can sign in here. */
  socialProviders: Provider[]
  /** On the page of a share, where a browser shows it: link previews see what kind of page it is, and no more. */
  share: ShareStart | null
}
