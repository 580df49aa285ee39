import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Bytes in referenced buffers. Collects garbage first, so that the count does not depend on when V8
 * would.
 */
export function liveBytes(): number {
  collect()
  collect()
  return process.memoryUsage().arrayBuffers
}
