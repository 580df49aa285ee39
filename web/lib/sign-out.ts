import { api } from '../api.ts'
import { forgetReceived } from '../service-worker/received-files.ts'
import { forgetSession } from './session.ts'

/** Ends the session and loads a page anew: where the provider of the account wants to know too, theirs, else `next`, else this one. */
export async function signOut(next?: string): Promise<void> {
  const { redirectURI } = await api('POST /api/auth/signOut')
  forgetSession()
  forgetReceived()
  const target = next ?? redirectURI
  if (target) location.assign(target)
  else location.reload()
}

/** Ends the session and begins another one that leads back here: what asks for a recent sign-in may be done then. */
export function signInAgain(): Promise<void> {
  return signOut(`/auth/signIn?${new URLSearchParams({ redirect: location.pathname })}`)
}
