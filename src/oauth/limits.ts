/** Whose accounts can sign in here, in the order in which they are offered. */
export const providers = ['github', 'google', 'microsoft', 'discord', 'oidc'] as const
export type Provider = (typeof providers)[number]

/** What a provider calls itself. */
export const providerNames: Record<Provider, string> = {
  github: 'GitHub',
  google: 'Google',
  microsoft: 'Microsoft',
  discord: 'Discord',
  oidc: 'OpenID Connect',
}

/** Whether a text names a provider. */
export function isProvider(text: string | undefined): text is Provider {
  return (providers as readonly (string | undefined)[]).includes(text)
}

/** Seconds from the click on a provider's button until its answer must have come. */
export const attemptLifetime = 600
/** Characters of the path that a sign-in leads to; a longer one is forgotten. */
export const redirectMaxLength = 1000
/** Sign-ins with a provider begun from one address. */
export const signInStartsPerAddress = { name: 'social-start', attempts: 300, seconds: 600 }
