import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { api } from '../../../api.ts'
import { settings } from '../../../start.ts'
import type { Drafts } from './values.ts'

/** Reads all settings as an administrator sees them. */
export const allSettings = queryOptions({
  queryKey: ['settings'],
  queryFn: () => api('GET /api/configs/admin'),
})

/**
 * Saves all changes or none, and applies them to this page. Some need the password.
 *
 * @throws {ApiError} config_invalid: a value is not allowed; `details` has `key` and `reason`.
 */
export async function saveSettings(queries: QueryClient, drafts: Drafts, currentPassword: string | undefined): Promise<void> {
  const changes = Object.entries(drafts).map(([key, value]) => ({ key, value }))
  const changed = await api('PATCH /api/configs/admin', { body: { changes, currentPassword } })
  queries.setQueryData(allSettings.queryKey, (variables) =>
    variables?.map((variable) => changed.find(({ key }) => key === variable.key) ?? variable),
  )
  for (const variable of changed) showSetting(variable)
}

/** Updates a public setting in the page's start data. */
function showSetting(variable: AdminVariable): void {
  if (variable.key in settings) Object.assign(settings, { [variable.key]: variable.value })
}
