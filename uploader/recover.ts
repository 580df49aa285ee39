import type { FileTask, Step } from './file-task.ts'
import type { Problem } from './types.ts'

/**
 * A refusal may only mean that the server stands elsewhere than we thought: an answer got lost, or it has cleaned up meanwhile. Sets the
 * file straight where that can be; `again` counts as a failure of the step.
 */
export function mend(task: FileTask, step: Step, { code, details }: Problem): 'mended' | 'again' | 'hopeless' {
  if (code === 'file_not_found' && step === 'delete') {
    task.succeeded(step, null)
    return 'mended'
  }
  if (code === 'file_already_complete') {
    task.arrived()
    return 'mended'
  }
  if (code === 'file_not_found' && task.fileId) {
    task.abort()
    task.forget()
    return 'again'
  }
  if (code === 'upload_incomplete' && step === 'complete' && Array.isArray(details.missing)) {
    task.missing(details.missing)
    return 'again'
  }
  return 'hopeless'
}
