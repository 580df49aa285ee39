import type { FileTask, Step } from './file-task.ts'
import type { Problem } from './types.ts'

/**
 * Corrects a file's state after an error response, where the server's state differs: a response was
 * lost, or the server has cleaned up. `again` counts as a failure of the step.
 */
export function recover(task: FileTask, step: Step, { code, details }: Problem): 'recovered' | 'again' | 'hopeless' {
  if (code === 'file_not_found' && step === 'delete') {
    task.succeeded(step, null)
    return 'recovered'
  }
  if (code === 'file_already_complete') {
    task.arrived()
    return 'recovered'
  }
  if (code === 'file_not_found' && task.fileId) {
    task.abort()
    task.forget()
    return step === 'arrived' ? 'recovered' : 'again'
  }
  if (code === 'upload_incomplete' && step === 'complete' && Array.isArray(details.missing)) {
    task.missing(details.missing)
    return 'again'
  }
  return 'hopeless'
}
