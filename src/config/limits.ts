/** Matches an expiration: `never`, or a number and a unit such as `7-days`. */
export const expirationPattern = '^(never|[0-9]{1,6}-(minute|hour|day|week|month|year)s?)$'
/** Maximum size of an uploaded logo in bytes. */
export const logoMaxBytes = 5_242_880
/** Maximum width and height of an uploaded logo in pixels. */
export const logoMaxPixels = 2048
/**
 * Widths in pixels of the derived logos: favicon, Apple's home screen, and two for app icons and
 * pages.
 */
export const logoSizes = [32, 180, 192, 512] as const
