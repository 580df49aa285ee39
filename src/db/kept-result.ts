import type { Db } from './schema.ts'

interface Kept<T> {
  since: number
  result: Promise<T>
}

/**
 * Returns `query` as a function whose last result is returned again for `keptFor` milliseconds, also
 * to calls while the query runs or with other arguments. A result that `keeps` refuses, or an
 * error, is not kept.
 */
export function keepingResult<T, A extends unknown[] = []>(
  query: (db: Db, ...rest: A) => Promise<T>,
  { keptFor, keeps = () => true }: { keptFor: number; keeps?: (result: T) => boolean },
) {
  const kept = new WeakMap<Db, Kept<T>>()
  return (db: Db, ...rest: A): Promise<T> => {
    const since = performance.now()
    const found = kept.get(db)
    if (found && since - found.since < keptFor) return found.result
    const result = query(db, ...rest)
    kept.set(db, { since, result })
    const forget = () => kept.delete(db)
    result.then((value) => keeps(value) || forget(), forget)
    return result
  }
}
