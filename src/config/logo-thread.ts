import { parentPort, workerData } from 'node:worker_threads'
import { logoSizes } from './limits.ts'
import { deriveLogos, LogoRefused } from './logo-image.ts'

// Runs in a thread because a large image needs a second or two, which would block all requests.
try {
  parentPort?.postMessage({ logos: deriveLogos(Buffer.from(workerData as Uint8Array), logoSizes) })
} catch (error) {
  if (!(error instanceof LogoRefused)) throw error
  parentPort?.postMessage({ refused: error.code })
}
