import type { authContract } from './auth/contract.ts'
import type { configContract } from './config/contract.ts'
import type { PublicSettings } from './config/settings.ts'
import type { codesContract } from './downloads/codes/contract.ts'
import type { downloadsContract, ShareStart } from './downloads/contract.ts'
import type { oauthContract } from './oauth/contract.ts'
import type { Provider } from './oauth/limits.ts'
import type { PagePreferences } from './pages/page-html.ts'
import type { Palettes } from './pages/palette.ts'
import type { previewsContract } from './previews/contract.ts'
import type { reverseActivityContract } from './reverse-shares/activity/contract.ts'
import type { reverseSharesContract } from './reverse-shares/contract.ts'
import type { activityContract } from './shares/activity/contract.ts'
import type { sharesContract } from './shares/contract.ts'
import type { linksContract } from './shares/links/contract.ts'
import type { recipientsContract } from './shares/recipients/contract.ts'
import type { remindersContract } from './shares/reminders/contract.ts'
import type { systemContract } from './system/contract.ts'
import type { uploadsContract } from './uploads/contract.ts'
import type { documentContract } from './uploads/document/contract.ts'
import type { scriptUploadsContract } from './uploads/form/contract.ts'
import type { packsContract } from './uploads/packs/contract.ts'
import type { UserDTO, usersContract } from './users/contract.ts'

/** All calls of the API, from which the typed client is derived. */
export type Api = typeof activityContract &
  typeof authContract &
  typeof codesContract &
  typeof configContract &
  typeof documentContract &
  typeof downloadsContract &
  typeof linksContract &
  typeof oauthContract &
  typeof packsContract &
  typeof previewsContract &
  typeof recipientsContract &
  typeof remindersContract &
  typeof reverseActivityContract &
  typeof reverseSharesContract &
  typeof scriptUploadsContract &
  typeof sharesContract &
  typeof systemContract &
  typeof uploadsContract &
  typeof usersContract

/** The data in every page, so that it starts without another call. */
export interface StartData extends PagePreferences {
  user: UserDTO | null
  /** ISO 8601; null for a visitor. */
  accessTokenExpiresAt: string | null
  /** null when the database can't be reached. */
  settings: PublicSettings | null
  /** The colors derived from the accent color; null: the product's colors. */
  palettes: Palettes | null
  /** Whether the user is an administrator who must add a second factor first. */
  secondFactorRequired: boolean
  /** Whether sign-up creates the first account and requires the setup code. */
  setupCodeRequired: boolean
  /** Providers that users can sign in with. */
  socialProviders: Provider[]
  /** The share, only when a browser displays its page. Link previews don't get it. */
  share: ShareStart | null
}
