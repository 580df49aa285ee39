/** A share's link: letters, digits, underscores and hyphens. */
export const linkPattern = '^[A-Za-z0-9_-]+$'
export const linkMinLength = 3
export const linkMaxLength = 50
/** Links that are calls of the API themselves. */
export const reservedLinks = ['all', 'isShareIdAvailable']
export const nameMaxLength = 100
/** One line: no control characters. */
export const namePattern = '^[^\\u0000-\\u001f\\u007f]*$'
export const descriptionMaxLength = 512
/** Several lines, but no NUL, which PostgreSQL does not store. */
export const descriptionPattern = '^[^\\u0000]*$'
export const sharePasswordMinLength = 3
export const sharePasswordMaxLength = 128
export const recipientsMax = 100
export const maxViewsMax = 1_000_000_000
/** Bytes of UTF-8 in one segment of a file's name. */
export const segmentMaxBytes = 255
/** Bytes of UTF-8 in a file's whole name with its folders. */
export const fileNameMaxBytes = 4096
/** `never`, or a number and a unit. */
export const expirationPattern = '^(never|[0-9]{1,6}-(minute|hour|day|week|month|year)s?)$'
/** Tries of a share's password, by address and share. An opened share gives its try back. */
export const sharePasswordTries = { name: 'share-password', tries: 20, seconds: 600 }
