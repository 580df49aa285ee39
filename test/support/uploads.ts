import { randomBytes } from 'node:crypto'
import { fetchTransport } from '../../uploader/fetch-transport.ts'
import type { FileSource, UploadSnapshot, UploadState } from '../../uploader/types.ts'
import { Uploader, type UploaderOptions } from '../../uploader/uploader.ts'
import { sha256, type UploadServer } from './app/upload-server.ts'

/** A file of random bytes, and its digest. */
export function fileOf(name: string, size: number): FileSource & { digest: string } {
  const bytes = randomBytes(size)
  const blob = new Blob([bytes])
  return { name, size, type: '', lastModified: 1_700_000_000_000, digest: sha256(bytes), slice: (start, end) => blob.slice(start, end) }
}

export const digestsOf = (files: ReturnType<typeof fileOf>[]) => Object.fromEntries(files.map(({ name, digest }) => [name, digest]))

/** An uploader against the server with short timeouts, and the states it went through. */
export function uploaderTo(server: UploadServer, more: Partial<UploaderOptions> = {}): Uploader {
  const uploader = new Uploader({
    shareId: 's',
    transport: fetchTransport({ baseUrl: server.origin }),
    renewSession: async () => false,
    ...more,
    tuning: { retryDelay: 5, retryDelayMax: 40, publishEvery: 5, ...more.tuning },
  })
  server.clients.push(uploader)
  return uploader
}

/** Resolves with the snapshot when the uploader reaches one of the states. */
export function reached(uploader: Uploader, ...states: UploadState[]): Promise<UploadSnapshot> {
  return until(uploader, ({ state }) => states.includes(state))
}

export function until(uploader: Uploader, holds: (snapshot: UploadSnapshot) => boolean): Promise<UploadSnapshot> {
  return new Promise((resolve) => {
    const look = () => {
      const snapshot = uploader.getSnapshot()
      if (!holds(snapshot)) return
      stop()
      resolve(snapshot)
    }
    const stop = uploader.subscribe(look)
    look()
  })
}

/** Uploads the files and waits for success or failure. */
export function upload(uploader: Uploader, files: readonly FileSource[]): Promise<UploadSnapshot> {
  uploader.add(files.map((source) => ({ source })))
  uploader.start()
  return reached(uploader, 'completed', 'incomplete', 'stopped')
}
