import type { AdminVariable } from '../../../../src/config/contract.ts'
import type { Value } from './values.ts'

/** What the field of a setting is given, whatever its kind. */
export interface ControlProps {
  id: string
  variable: AdminVariable
  value: Value
  /** The ids of what explains it. */
  describedBy: string
  invalid: boolean
  /** null: back to the default. */
  onChange(value: Value | null): void
}

/** Keeps browsers and password managers from filling a field in with somebody's own address, name or password. */
export const notFilledIn = {
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
  'data-1p-ignore': true,
  'data-bwignore': true,
  'data-form-type': 'other',
  'data-lpignore': 'true',
} as const

/** What tells assistive technology of a field. */
export function described({ id, describedBy, invalid }: ControlProps) {
  return { id, 'aria-describedby': describedBy, 'aria-invalid': invalid || undefined, status: invalid ? ('error' as const) : undefined }
}
