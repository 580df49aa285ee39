import { toBase64Url } from '../../../uploader/encryption/bytes.ts'
import { thumbnailsMax } from '../../../uploader/encryption/thumbnail-room.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { extensionOf, isShownByBrowsers } from '../file-kinds.ts'

/** Images above this size are not decoded, in bytes. */
const imageMaxBytes = 60_000_000
/** How long one image may take, and how long a document waits for the images that are left, in milliseconds. */
const patience = 10_000

/** Makes thumbnails of the images of an upload, one after the other, while their bytes are sent. */
export class Thumbnails {
  readonly #made = new Map<string, string>()
  #last: Promise<void> = Promise.resolve()
  #total = 0
  #worker: Worker | null = null

  /** Adds a file, which has a random name on the server. */
  add(sealedName: string, plain: FileSource): void {
    if (!isShownByBrowsers(plain.name) || extensionOf(plain.name) === 'svg' || plain.size === 0 || plain.size > imageMaxBytes) return
    this.#last = this.#last.then(() => this.#make(sealedName, plain))
  }

  /** Returns the thumbnails by the names on the server. Waits a little for the last ones. */
  async made(): Promise<ReadonlyMap<string, string>> {
    await Promise.race([this.#last, timeout()])
    return this.#made
  }

  async #make(sealedName: string, plain: FileSource): Promise<void> {
    if (this.#total >= thumbnailsMax) return this.#end()
    const thumbnail = await Promise.race([this.#draw(plain), timeout()])
    if (!thumbnail) return
    this.#total += thumbnail.length
    this.#made.set(sealedName, thumbnail)
  }

  #draw(plain: FileSource): Promise<string | null> {
    this.#worker ??= new Worker(new URL('./thumbnail-worker.ts', import.meta.url), { type: 'module' })
    const { port1, port2 } = new MessageChannel()
    const { promise, resolve } = Promise.withResolvers<string | null>()
    port1.onmessage = ({ data }: MessageEvent<ArrayBuffer | null>) => {
      port1.close()
      resolve(data && toBase64Url(new Uint8Array(data)))
    }
    this.#worker.postMessage(plain.slice(0, plain.size), [port2])
    return promise
  }

  #end(): void {
    this.#worker?.terminate()
    this.#worker = null
  }
}

const timeout = () => new Promise<null>((resolve) => setTimeout(() => resolve(null), patience))
