import { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { challengeLifetime } from '../../../src/auth/limits.ts'
import { api } from '../../api.ts'
import { returnPath } from '../../lib/access.ts'
import { passkeysWork, signInByPasskey } from '../../lib/passkeys.ts'

const renewEvery = challengeLifetime * 800 // ms: before the server forgets what it has asked

/**
 * Signs in by passkey: at a click, or when one is picked from what the browser suggests in a field with `autocomplete="webauthn"` (conditional mediation,
 * Web Authentication Level 3, 5.1.4). The browser asks for one thing at a time: a click ends the suggestions, and they come back when it led to nothing.
 */
export function usePasskeySignIn() {
  const signIn = useMutation({ mutationFn: () => signInByPasskey(), onSuccess: () => location.assign(returnPath()) })
  const busy = signIn.isPending || signIn.isSuccess
  const [refusal, setRefusal] = useState<unknown>(null)
  useEffect(() => {
    if (busy || !passkeysWork()) return
    const suggest = () => void signInBySuggestion().catch(setRefusal)
    suggest()
    const timer = setInterval(suggest, renewEvery)
    return () => {
      clearInterval(timer)
      WebAuthnAbortService.cancelCeremony()
    }
  }, [busy])
  const reset = () => {
    signIn.reset()
    setRefusal(null)
  }
  const ask = () => {
    setRefusal(null)
    signIn.mutate()
  }
  return { error: signIn.error ?? refusal, busy, reset, ask }
}

/** Throws what the server says to the passkey that was picked. That nothing was picked, or nothing can be suggested, is no failure. */
async function signInBySuggestion(): Promise<void> {
  const response = await suggested().catch(() => null)
  if (!response) return
  await api('POST /api/auth/signIn/passkey', { body: { response } })
  location.assign(returnPath())
}

async function suggested() {
  if (!(await browserSupportsWebAuthnAutofill())) return null
  const optionsJSON = await api('POST /api/auth/signIn/passkey/options', { body: {} })
  return startAuthentication({ optionsJSON, useBrowserAutofill: true })
}
