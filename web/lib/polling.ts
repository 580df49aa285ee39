import { ApiError } from '../api.ts'

const interval = 10_000 // ms

/**
 * The `refetchInterval` of data about a share that its visitors change. It ends when the server
 * refuses: a deleted share doesn't come back, and repeated requests for it count as probing.
 */
export function untilRefused({ state: { error } }: { state: { error: Error | null } }): number | false {
  const isRefused = error instanceof ApiError && (error.status === 403 || error.status === 404)
  return isRefused ? false : interval
}
