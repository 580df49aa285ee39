import { AppError } from '../../errors.ts'

/** Bytes of documents that this process receives at once, in total and for one caller. */
const maxHeld = 67_108_864
const maxHeldOfCaller = 33_554_432
const retryAfter = 5 // s

const heldOf = new Map<string, number>()
let held = 0

/**
 * Makes room for a document of `length` bytes, which is held in memory. Returns the function that
 * frees it.
 *
 * @throws {AppError} unavailable: too many bytes are being received; with `retryAfter` in seconds
 */
export function reserveRoom(caller: string, length: number): () => void {
  const ofCaller = (heldOf.get(caller) ?? 0) + length
  if (held + length > maxHeld || ofCaller > maxHeldOfCaller) throw new AppError('unavailable', { retryAfter })
  held += length
  heldOf.set(caller, ofCaller)
  return () => {
    held -= length
    const rest = (heldOf.get(caller) ?? 0) - length
    if (rest > 0) heldOf.set(caller, rest)
    else heldOf.delete(caller)
  }
}
