/** Random choices that a seed reproduces. */
export interface Random {
  /** Returns a whole number from 0 to below `limit`. */
  below(limit: number): number
  one<T>(list: readonly T[]): T
  /** Returns true once in `times`, on average. */
  rarely(times: number): boolean
  /** Returns the results of `count` calls. */
  several<T>(count: number, make: () => T): T[]
  bytes(length: number): Buffer
}

/** Returns a Mulberry32 generator; its 32 bits of state are enough for one case. */
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

/** Returns the seed of a case by its number in the run. */
export function caseSeed(run: number, number: number): number {
  return (Math.imul(run, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0
}
