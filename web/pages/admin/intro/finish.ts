import { ApiError, api } from '../../../api.ts'
import { settings } from '../../../start.ts'

/**
 * Finishes the introduction, or does nothing if another administrator has already finished it.
 *
 * @throws {ApiError} If the server can't be reached or refuses.
 */
export async function finishSetup(): Promise<void> {
  try {
    await api('POST /api/configs/admin/finishSetup')
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'setup_finished') throw error
  }
  Object.assign(settings, { 'general.setupFinished': true })
}
