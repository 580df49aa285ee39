export * from '../users/limits.ts'

/** Seconds an access token is good for. */
export const accessTokenLifetime = 900
/** Seconds in which a refresh token that was just replaced still brings an access token, for tabs that ask at the same time. */
export const refreshGrace = 30
/** Seconds between the password and the second factor. */
export const loginTokenLifetime = 300
/** Wrong second factors that end a login token. */
export const loginTokenAttempts = 5
/** Seconds a passkey may take to answer. */
export const challengeLifetime = 300
export const recoveryCodeCount = 10
/** Longest name of a passkey or an API token. */
export const nameMaxLength = 64
export const passkeysMax = 20
export const apiTokensMax = 100

/** Seconds that a browser is known to an account after its last sign-in there: 400 days, the longest that browsers keep a cookie. */
export const knownDeviceLifetime = 400 * 86_400

// Only failures count: a sign-in gives its try back. One address may be a school of a thousand; one account is one person. Accounts are counted by their id,
// whatever was typed. A device that the account was signed in to from has a counter of its own and passes all others.
/** Failed sign-ins over all accounts. A botnet of one machine tries at most 600 passwords an hour. */
export const signInAttemptsPerAddress = {
  name: 'sign-in-address',
  address: { attempts: 100, seconds: 600 },
  site: { attempts: 300, seconds: 600 },
  network: { attempts: 1000, seconds: 600 },
}
/** Failed sign-ins to one account from one network. Together far fewer than `signInAttemptsPerAccount`, so that no network locks an account for others. */
export const signInAttempts = {
  name: 'sign-in',
  address: { attempts: 10, seconds: 600 },
  site: { attempts: 30, seconds: 3600 },
  network: { attempts: 40, seconds: 3600 },
}
/** Failed sign-ins to one account from everywhere but its known devices. */
export const signInAttemptsPerAccount = { name: 'sign-in-account', attempts: 100, seconds: 3600 }
/** Failed sign-ins to one account from one of its known devices. */
export const signInAttemptsPerDevice = { name: 'sign-in-device', attempts: 10, seconds: 600 }
/** Wrong second factors from one address. */
export const secondFactorAttemptsPerAddress = { name: 'factor-address', attempts: 100, seconds: 600 }
/**
 * Wrong 6-digit codes for one account, and for each of its known devices. Who tries them has the password: three of a million codes are right, so that a
 * year of trying succeeds one time in 50.
 */
export const totpAttemptsPerAccount = { name: 'totp-account', attempts: 20, seconds: 86_400 }
/** Challenges for passkeys asked for from one address; a page that offers passkeys asks at once. */
export const challengesPerAddress = { name: 'challenge-address', attempts: 300, seconds: 600 }
/** Links to a new password asked for from one address. */
export const resetAttemptsPerAddress = { name: 'reset-address', attempts: 20, seconds: 600 }
/** E-mails with such a link to one account. Who asks for more is not told. */
export const resetMailsPerAccount = { name: 'reset-account', attempts: 5, seconds: 3600 }
/** Accounts made from one address. */
export const signUpAttempts = { name: 'sign-up', attempts: 100, seconds: 3600 }
