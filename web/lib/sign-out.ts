import { api } from '../api.ts'
import { forgetReceived } from '../service-worker/received-files.ts'
import { address, currentPath } from './address.ts'
import { forgetSession } from './session.ts'
import { forgetResults } from './upload/results.ts'
import { forgetDraft } from './upload/text-draft.ts'

/**
 * Ends the session and opens the path `next`, or the sign-out page of the account's provider, or
 * reloads the current page.
 */
export async function signOut(next?: string): Promise<void> {
  const { redirectURI } = await api('POST /api/auth/signOut')
  forgetSession()
  forgetReceived()
  forgetResults()
  forgetDraft()
  const target = next === undefined ? redirectURI : address(next)
  if (target) location.assign(target)
  else location.reload()
}

/**
 * Ends the session and opens the sign-in page, which leads back here. Actions that need a recent
 * sign-in work then.
 */
export function signInAgain(): Promise<void> {
  return signOut(`/auth/signIn?${new URLSearchParams({ redirect: currentPath() })}`)
}
