interface Step {
  loginToken: string
  /** Whether a passkey can replace the code. */
  passkey: boolean
}

/** Returns the path of the second step of a sign-in. It keeps the redirect of the first step. */
export function secondStepPath({ loginToken, passkey }: Step): string {
  const query = new URLSearchParams(location.search)
  if (passkey) query.set('passkey', 'true')
  return `/auth/totp/${encodeURIComponent(loginToken)}?${query}`
}

/** Returns the path of the first step, to start a sign-in again. It keeps the redirect. */
export function firstStepPath(): string {
  const query = new URLSearchParams(location.search)
  query.delete('passkey')
  return `/auth/signIn?${query}`
}
