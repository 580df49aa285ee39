import type { Raw } from '../support/raw.ts'

/** One hostile input, which is sent again and again for a short time. */
export interface Input {
  what: string
  raw: Raw
  /** ms from one to the next; absent: 100. */
  every?: number
  /** At most so many; absent: what fits. */
  count?: number
}

/** What the inputs are about. */
export interface Target {
  share: string
  file: string
  /** Of a user who is no administrator. */
  cookie: string
  admin: string
  /** A share of that user, open for uploads, and a file announced in it. */
  own: string
}

/** `text` repeated to about `bytes`. */
export const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))
