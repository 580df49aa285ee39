import type { Raw } from '../support/raw.ts'

/** One hostile input, sent repeatedly for a short time. */
export interface Input {
  what: string
  raw: Raw
  /** Interval in ms; 100 when absent. */
  every?: number
  /** Maximum number of times; unlimited when absent. */
  count?: number
}

/** The data that the inputs use. */
export interface Target {
  share: string
  file: string
  /** Cookies of a user who is not an administrator. */
  cookie: string
  admin: string
  /** A share of that user, open for uploads, and a file announced in it. */
  own: string
}

/** Returns `text` repeated to about `bytes`. */
export const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))
