import type { TFunction } from 'i18next'
import type { Problem } from '../../../uploader/types.ts'
import { typesText } from '../../lib/allowed-types.ts'
import { formatBytes } from '../../lib/format.ts'

/** Returns why a file or an upload has failed, in the user's language. */
export function problemText(t: TFunction, { code, details }: Problem): string {
  const max = typeof details.max === 'number' ? formatBytes(details.max) : ''
  const allowed = Array.isArray(details.allowed) ? typesText(t, details.allowed as string[]) : ''
  const keys = [`upload.problem.${code}`, `error.${code}`, 'error.internal']
  return t(keys, { ...details, max, allowed })
}
