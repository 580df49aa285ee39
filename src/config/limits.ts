/** An expiration: `never`, or a number and a unit, such as `7-days`. */
export const expirationPattern = '^(never|[0-9]{1,6}-(minute|hour|day|week|month|year)s?)$'
/** Bytes of a PNG that is sent as logo. */
export const logoMaxBytes = 5_242_880
/** Pixels on each side of it. */
export const logoMaxPixels = 2048
/** Pixels on each side of the logos that are derived from it: favicon, Apple's home screen, and two for app icons and pages. */
export const logoSizes = [32, 180, 192, 512] as const
