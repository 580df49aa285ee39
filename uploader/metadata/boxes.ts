import { latin1, viewOf } from './bytes.ts'

/** A box (ISO/IEC 14496-12, 4.2): `start` to `end` is its content. */
export interface Box {
  type: string
  typeAt: number
  start: number
  end: number
}

/** Returns the boxes between two positions; null if they are malformed. */
export function boxesIn(bytes: Uint8Array, from: number, to: number): Box[] | null {
  const view = viewOf(bytes)
  const boxes: Box[] = []
  for (let at = from; at < to; ) {
    if (at + 8 > to) return null
    const size = view.getUint32(at)
    const isLarge = size === 1
    if (isLarge && at + 16 > to) return null
    const length = isLarge ? Number(view.getBigUint64(at + 8)) : size === 0 ? to - at : size
    const start = at + (isLarge ? 16 : 8)
    if (at + length > to || at + length < start) return null
    boxes.push({ type: latin1(bytes, at + 4, 4), typeAt: at + 4, start, end: at + length })
    at += length
  }
  return boxes
}
