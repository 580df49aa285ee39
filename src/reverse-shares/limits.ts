/** Matches an upload link: letters, digits, underscores and hyphens. */
export const tokenPattern = '^[A-Za-z0-9_-]+$'
export const tokenMinLength = 3
export const tokenMaxLength = 50
export const nameMaxLength = 100
export const usesMax = 1000
/** The number of uses that is stored for a link without a limit. */
export const unlimitedUses = 2_147_483_647
export const passwordMinLength = 3
export const passwordMaxLength = 128
/** Number of file types that a link can list. */
export const allowedTypesMax = 50
/**
 * Matches a file type: an extension such as `.pdf` or `tar.gz`, or a media type such as `image/*`
 * or `application/pdf`.
 */
export const allowedTypePattern = '^(\\.?[A-Za-z0-9][A-Za-z0-9.+_-]*|[A-Za-z0-9.+-]+/([A-Za-z0-9.+-]+|\\*))$'
export const allowedTypeMaxLength = 100
