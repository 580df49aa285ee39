import { ApiError, api } from '../../../api.ts'
import { settings } from '../../../start.ts'

/** Ends the introduction for good; also when another administrator was faster. Throws ApiError. */
export async function finishSetup(): Promise<void> {
  try {
    await api('POST /api/configs/admin/finishSetup')
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'setup_finished') throw error
  }
  Object.assign(settings, { 'general.setupFinished': true })
}
