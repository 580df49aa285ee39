import type { AdminVariable } from '../../../../src/config/contract.ts'
import type { Value } from './values.ts'

/** The properties of every setting's field. */
export interface ControlProps {
  id: string
  variable: AdminVariable
  value: Value
  /** The ids of the help and the error. */
  describedBy: string
  invalid: boolean
  /** Null resets the setting to its default. */
  onChange(value: Value | null): void
}

/**
 * Keeps browsers and password managers from filling in a field with the user's own address, name or
 * password.
 */
export const noAutofill = {
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
  'data-1p-ignore': true,
  'data-bwignore': true,
  'data-form-type': 'other',
  'data-lpignore': 'true',
} as const

/** Returns the attributes that describe a field to assistive technology. */
export function described({ id, describedBy, invalid }: ControlProps) {
  return { id, 'aria-describedby': describedBy, 'aria-invalid': invalid || undefined, status: invalid ? ('error' as const) : undefined }
}
