import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in buffers that something still holds: garbage is collected first, so that what is counted does not depend on when V8 would do so. */
export function liveBytes(): number {
  collect()
  collect()
  return process.memoryUsage().arrayBuffers
}
