import type { AdminVariable } from '../../src/config/contract.ts'

export interface Unit {
  name: string
  /** The size in the setting's own unit. */
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
const precision = 1000 // three decimals

/** Returns the units in which an amount can be entered, smallest first. */
export function unitsOf(unit: NonNullable<AdminVariable['unit']>): Unit[] {
  return units[unit]
}

/**
 * Returns the largest unit in which a value is at least one and has at most three decimals.
 * Hours and days have no decimals, so 24 hours are one day and 25 hours stay hours.
 */
export function fittingUnit(unit: NonNullable<AdminVariable['unit']>, value: number): Unit {
  const candidates = units[unit]
  const step = ({ size }: Unit) => (unit === 'bytes' ? size / precision : size)
  const fitting = candidates.findLast((candidate) => value >= candidate.size && value % step(candidate) === 0)
  return fitting ?? candidates[value === 0 ? candidates.length - 1 : 0]!
}
