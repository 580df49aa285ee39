/** The supported providers in display order. */
export const providers = ['github', 'google', 'microsoft', 'discord', 'oidc'] as const
export type Provider = (typeof providers)[number]

/** The display names of the providers. */
export const providerNames: Record<Provider, string> = {
  github: 'GitHub',
  google: 'Google',
  microsoft: 'Microsoft',
  discord: 'Discord',
  oidc: 'OpenID Connect',
}

/** Returns whether a text is the key of a provider. */
export function isProvider(text: string | undefined): text is Provider {
  return (providers as readonly (string | undefined)[]).includes(text)
}

/** Seconds from the click on a provider's button within which the callback must arrive. */
export const attemptLifetime = 600
/** Pending sign-ins with one provider that a browser stores; a further one replaces the oldest. */
export const attemptsPerBrowser = 8
/** Maximum characters of the path that a sign-in opens; a longer path is ignored. */
export const redirectMaxLength = 1000
/** Sign-ins with a provider started from one address. */
export const signInStartsPerAddress = { name: 'social-start', attempts: 300, seconds: 600 }
