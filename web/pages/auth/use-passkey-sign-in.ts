import { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { challengeLifetime } from '../../../src/auth/limits.ts'
import { api } from '../../api.ts'
import { openAsUser } from '../../lib/access.ts'
import { arePasskeysAvailable, signInByPasskey } from '../../lib/passkeys.ts'

const renewEvery = challengeLifetime * 800 // ms: before the server's challenge expires

/**
 * Signs in with a passkey: at a click, or when the user selects one that the browser suggests in a
 * field with
 * `autocomplete="webauthn"` (conditional mediation, Web Authentication Level 3, 5.1.4).
 * The browser handles one request at a time: a click ends the suggestions, and they restart if it
 * fails.
 */
export function usePasskeySignIn() {
  const signIn = useMutation({ mutationFn: () => signInByPasskey(), onSuccess: openAsUser })
  const busy = signIn.isPending || signIn.isSuccess
  const [suggestionError, setSuggestionError] = useState<unknown>(null)
  useEffect(() => {
    if (busy || !arePasskeysAvailable()) return
    const suggest = () => void signInBySuggestion().catch(setSuggestionError)
    suggest()
    const timer = setInterval(suggest, renewEvery)
    return () => {
      clearInterval(timer)
      WebAuthnAbortService.cancelCeremony()
    }
  }, [busy])
  const reset = () => {
    signIn.reset()
    setSuggestionError(null)
  }
  const ask = () => {
    setSuggestionError(null)
    signIn.mutate()
  }
  return { error: signIn.error ?? suggestionError, busy, reset, ask }
}

/**
 * Waits until the user selects a suggested passkey and signs in with it. Returns if none is
 * selected or suggested.
 *
 * @throws {ApiError} If the server refuses the passkey.
 */
async function signInBySuggestion(): Promise<void> {
  const response = await requestSuggestion().catch(() => null)
  if (!response) return
  await api('POST /api/auth/signIn/passkey', { body: { response } })
  await openAsUser()
}

async function requestSuggestion() {
  if (!(await browserSupportsWebAuthnAutofill())) return null
  const optionsJSON = await api('POST /api/auth/signIn/passkey/options', { body: {} })
  return startAuthentication({ optionsJSON, useBrowserAutofill: true })
}
