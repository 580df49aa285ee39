/** A byte range of an object. Both ends are inclusive and lie inside the object. */
export interface ByteRange {
  start: number
  end: number
}
