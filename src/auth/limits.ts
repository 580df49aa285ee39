export * from '../users/limits.ts'

/** Lifetime of an access token in seconds. */
export const accessTokenLifetime = 900
/**
 * Seconds for which a replaced refresh token still works, for tabs that refresh at the same time.
 */
export const refreshGrace = 30
/** Seconds that a user has for the second factor after the password. */
export const loginTokenLifetime = 300
/** Wrong second factors after which a login token is invalid. */
export const loginTokenAttempts = 5
/** Seconds that a user has to confirm with a passkey. */
export const challengeLifetime = 300
export const recoveryCodeCount = 10
/** Maximum length of the name of a passkey or an API token. */
export const nameMaxLength = 64
export const passkeysMax = 20
export const apiTokensMax = 100

/**
 * Seconds that an account remembers a browser after its last sign-in: 400 days, the longest that
 * browsers keep a cookie.
 */
export const knownDeviceLifetime = 400 * 86_400

// Only failures count: a successful sign-in refunds its attempt. One address may be a school of a
// thousand users. Accounts are counted by their id, whatever login was typed. A known device of the
// account has its own counter and skips all others.
/** Failed sign-ins to all accounts. A single machine can try at most 600 passwords an hour. */
export const signInAttemptsPerAddress = {
  name: 'sign-in-address',
  address: { attempts: 100, seconds: 600 },
  site: { attempts: 300, seconds: 600 },
  network: { attempts: 1000, seconds: 600 },
}
/**
 * Failed sign-ins to one account from one network. Far fewer than `signInAttemptsPerAccount`, so
 * that no single network locks an account for others.
 */
export const signInAttempts = {
  name: 'sign-in',
  address: { attempts: 10, seconds: 600 },
  site: { attempts: 30, seconds: 3600 },
  network: { attempts: 40, seconds: 3600 },
}
/** Failed sign-ins to one account from everywhere except its known devices. */
export const signInAttemptsPerAccount = { name: 'sign-in-account', attempts: 100, seconds: 3600 }
/** Failed sign-ins to one account from one of its known devices. */
export const signInAttemptsPerDevice = { name: 'sign-in-device', attempts: 10, seconds: 600 }
/** Wrong second factors from one address. */
export const secondFactorAttemptsPerAddress = { name: 'factor-address', attempts: 100, seconds: 600 }
/**
 * Wrong 6-digit codes for one account, and for each of its known devices. Three of a million codes
 * are right at any time, so an attacker with the password succeeds in a year with a chance of 1 in
 * 50.
 */
export const totpAttemptsPerAccount = { name: 'totp-account', attempts: 20, seconds: 86_400 }
/**
 * Passkey challenges requested from one address. A page that offers passkeys requests one when it
 * opens.
 */
export const challengesPerAddress = { name: 'challenge-address', attempts: 300, seconds: 600 }
/** Password reset links requested from one address. */
export const resetAttemptsPerAddress = { name: 'reset-address', attempts: 20, seconds: 600 }
/**
 * Emails with a password reset link to one account. Further requests send none, without an error.
 */
export const resetMailsPerAccount = { name: 'reset-account', attempts: 5, seconds: 3600 }
/** Accounts created from one address. */
export const signUpAttempts = { name: 'sign-up', attempts: 100, seconds: 3600 }
