export const usernamePattern = '^[A-Za-z0-9_.]+$'
export const usernameMinLength = 3
export const usernameMaxLength = 32
export const emailMaxLength = 254
export const passwordMinLength = 8
export const passwordMaxLength = 512

/** Seconds an access token is good for. */
export const accessTokenLife = 900
/** Seconds in which a refresh token that was just replaced still brings an access token, for tabs that ask at the same time. */
export const refreshGrace = 30

// Only failures count: a sign-in gives its try back. One address may be a school of a thousand; one account is one person.
/** Failed sign-ins from one address: a botnet of one machine tries at most 600 passwords an hour, over all accounts. */
export const signInTriesOfAddress = { name: 'sign-in-address', tries: 100, seconds: 600 }
/** Failed sign-ins to one account from one address: 60 an hour. */
export const signInTries = { name: 'sign-in', tries: 10, seconds: 600 }
/** Failed sign-ins to one account from everywhere. More than one address can use up, so that nobody locks another out from one place. */
export const signInTriesOfAccount = { name: 'sign-in-account', tries: 100, seconds: 3600 }
/** Accounts made from one address. */
export const signUpTries = { name: 'sign-up', tries: 100, seconds: 3600 }
