/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number
  one<T>(list: readonly T[]): T
  /** True once in `times`, on average. */
  rarely(times: number): boolean
  /** The results of `count` calls. */
  several<T>(count: number, make: () => T): T[]
  bytes(length: number): Buffer
}

/** The generator of Mulberry32: 32 bits of state, which is plenty for one case. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    one: (list) => list[below(list.length)]!,
    rarely: (times) => below(times) === 0,
    several: (count, make) => Array.from({ length: count }, make),
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}

/** The seed of a run's case with this number. */
export function caseSeed(run: number, number: number): number {
  return (Math.imul(run, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0
}
