/** Digits of a code. */
export const codeLength = 6
/** Minutes until a code that was sent no longer works. */
export const codeMinutes = 10
/** How often a code can be tried. */
export const codeTriesMax = 5
/** Seconds until another code can be sent for the same link. */
export const codeInterval = 60
