import type { AdminVariable } from '../../src/config/contract.ts'

export interface Unit {
  name: string
  /** How many of the setting's own unit one of these is. */
  size: number
}

const units: Record<NonNullable<AdminVariable['unit']>, Unit[]> = {
  bytes: [
    { name: 'kB', size: 1e3 },
    { name: 'MB', size: 1e6 },
    { name: 'GB', size: 1e9 },
    { name: 'TB', size: 1e12 },
  ],
  hours: [
    { name: 'hour', size: 1 },
    { name: 'day', size: 24 },
  ],
}
const decimals = 1000 // three

/** The units in which an amount can be given, smallest first. */
export function unitsOf(unit: NonNullable<AdminVariable['unit']>): Unit[] {
  return units[unit]
}

/** The largest unit in which a value has at most three decimals and is not below one; whole days, too, are never shown as hours. */
export function fittingUnit(unit: NonNullable<AdminVariable['unit']>, value: number): Unit {
  const known = units[unit]
  const step = (one: Unit) => (unit === 'bytes' ? one.size / decimals : one.size)
  return known.findLast((one) => value >= one.size && value % step(one) === 0) ?? known[value === 0 ? known.length - 1 : 0]!
}
