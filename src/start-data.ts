import type { PublicSettings } from './config/settings.ts'
import type { PagePreferences } from './http/page-html.ts'
import type { UserDTO } from './users/contract.ts'

/** What the server puts into every page, so that it starts without another call. `settings` is null when the database cannot be reached. */
export interface StartData extends PagePreferences {
  user: UserDTO | null
  /** ISO 8601; null for a visitor. */
  accessTokenExpiresAt: string | null
  settings: PublicSettings | null
}
