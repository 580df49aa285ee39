import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import { type ShareKey, shareKeyOf } from '../../../uploader/encryption/keys.ts'

/**
 * Derives the key of a share. A password is stretched in a worker, because that takes a second and
 * WebAssembly, which the policy of the pages forbids.
 */
export function deriveKey(linkKey: Bytes, password: string): Promise<ShareKey> {
  if (password === '') return shareKeyOf(linkKey)
  const worker = new Worker(new URL('./key-worker.ts', import.meta.url), { type: 'module' })
  const { promise, resolve, reject } = Promise.withResolvers<ShareKey>()
  worker.addEventListener('message', ({ data }: MessageEvent<ShareKey>) => resolve(data))
  worker.addEventListener('error', () => reject(new Error('The password could not be stretched')))
  worker.postMessage({ linkKey, password })
  return promise.finally(() => worker.terminate())
}
