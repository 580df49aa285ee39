import { parentPort, workerData } from 'node:worker_threads'
import { logoSizes } from './limits.ts'
import { deriveLogos, LogoRefused } from './logo-image.ts'

// A thread of its own: a large image takes a second or two, in which nobody's upload shall stand still.
try {
  parentPort!.postMessage({ logos: deriveLogos(Buffer.from(workerData as Uint8Array), logoSizes) })
} catch (error) {
  if (!(error instanceof LogoRefused)) throw error
  parentPort!.postMessage({ refused: error.code })
}
