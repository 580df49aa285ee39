import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import type { WebCryptoKey } from '../../../uploader/encryption/keys.ts'
import type { SegmentPosition } from '../../../uploader/encryption/records.ts'
import type { SealPlain } from '../../../uploader/encryption/sealed-source.ts'

/** What the worker encrypts. */
export interface SegmentToSeal {
  plain: Blob
  key: WebCryptoKey
  position: SegmentPosition
}

type Reply = { sealed: Bytes; crc32: number } | { error: unknown }

let worker: Worker | null = null
/** Fails the segments that are being encrypted. */
const failures = new Set<(reason: Error) => void>()

/** Encrypts a segment in a worker, so that the page stays responsive during an upload. */
export const sealInWorker: SealPlain = (plain, key, position) => {
  worker ??= newWorker()
  const { port1, port2 } = new MessageChannel()
  const segment: SegmentToSeal = { plain, key, position }
  worker.postMessage(segment, [port2])
  return new Promise((resolve, reject) => {
    failures.add(reject)
    port1.onmessage = ({ data }: MessageEvent<Reply>) => {
      port1.close()
      failures.delete(reject)
      if ('error' in data) reject(data.error)
      else resolve(data)
    }
  })
}

/** Starts a worker. If it ends with an error, the next attempt to send a part starts another one. */
function newWorker(): Worker {
  const started = new Worker(new URL('./seal-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('error', () => {
    if (worker === started) worker = null
    for (const fail of failures) fail(new Error('The worker has failed'))
    failures.clear()
  })
  return started
}
