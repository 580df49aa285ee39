interface Step {
  loginToken: string
  /** Whether a passkey can take the code's place. */
  passkey: boolean
}

/** The page of the second factor; it leads on to where the page of the first would have. */
export function secondStepPath({ loginToken, passkey }: Step): string {
  const query = new URLSearchParams(location.search)
  if (passkey) query.set('passkey', 'true')
  return `/auth/totp/${encodeURIComponent(loginToken)}?${query}`
}

/** Where somebody begins again whose second step came to nothing; they still arrive where they wanted to. */
export function firstStepPath(): string {
  const query = new URLSearchParams(location.search)
  query.delete('passkey')
  return `/auth/signIn?${query}`
}
