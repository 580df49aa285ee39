export const usernamePattern = '^[A-Za-z0-9_.]+$'
export const usernameMinLength = 3
export const usernameMaxLength = 32
export const emailMaxLength = 254
export const passwordMinLength = 8
/** Characters, and bytes in UTF-8. */
export const passwordMaxLength = 512

/** Seconds after a sign-in in which its session needs no password to confirm changes. */
export const recentSignIn = 900
/** Seconds for which the link in an invitation works. */
export const invitationLifetime = 7 * 86_400
/** Seconds for which a password reset link works. */
export const resetLifetime = 3600

/** Seconds for which a link to verify an email address works. */
export const emailTokenLifetime = 86_400

/** Wrong passwords in confirmations by a signed-in user: 60 an hour. */
export const confirmAttempts = { name: 'confirm', attempts: 10, seconds: 600 }
export const languageMaxLength = 35 // RFC 5646, 4.4.1
