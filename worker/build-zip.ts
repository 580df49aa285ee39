import { setInterval as every } from 'node:timers/promises'
import { UnrecoverableError } from 'bullmq'
import { readSettings } from '../src/config/service.ts'
import type { Context } from '../src/context.ts'
import { extendReservation, keepObject, reserveObject } from '../src/db/deleted-objects.ts'
import { archivedFiles } from '../src/downloads/queries.ts'
import { noteZipFailed, noteZipNeedless, noteZipProgress, noteZipReady, wantedZip } from '../src/downloads/zip-queries.ts'
import type { Jobs } from '../src/queue/jobs.ts'
import { ObjectMissing } from '../src/storage/object-store.ts'
import { type ArchivedFile, archive } from './archive.ts'

type Payload = Jobs['build-zip']
type Tools = Pick<Context, 'db' | 'storage' | 'log' | 'now'>

const PROGRESS_EVERY = 1_000 // ms
/** How long an unfinished zip is left alone when its worker has died, in ms. */
const RESERVED = 3_600_000

/** The share was changed or deleted, or another worker has taken the zip over: what has been written is of no use. */
class Superseded extends Error {}

/**
 * Builds a share's zip and stores it as `zips/{uid}/{revision}`; does nothing when it is not wanted. The object is noted for removal until the row says
 * "ready", so that none is left behind whatever happens on the way. A missing object fails for good; anything else may be tried again.
 */
export async function buildZip(ctx: Tools, payload: Payload, stopping: AbortSignal): Promise<void> {
  const share = await wantedZip(ctx.db, payload.shareId, payload.revision)
  if (!share) return
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx.db)
  if (level === 0) return noteZipNeedless(ctx.db, payload)
  const zip = new ZipInWork(ctx, payload, `zips/${share.uid}/${share.revision}`)
  await zip.reserve()
  try {
    await zip.store(await archivedFiles(ctx.db, share.id), level, stopping)
  } catch (error) {
    if (error instanceof Superseded) return zip.discard()
    if (error instanceof ObjectMissing) throw new UnrecoverableError(`An object of share ${share.uid} is missing: ${error.message}`)
    throw error
  }
}

/** After the last try: visitors see that there will be no zip. */
export async function giveUpZip(ctx: Pick<Context, 'db'>, payload: Payload): Promise<void> {
  await noteZipFailed(ctx.db, payload)
}

class ZipInWork {
  readonly #ctx: Tools
  readonly #payload: Payload
  readonly #key: string
  #reservedUntil = new Date(0)

  constructor(ctx: Tools, payload: Payload, key: string) {
    this.#ctx = ctx
    this.#payload = payload
    this.#key = key
  }

  async reserve(): Promise<void> {
    this.#reservedUntil = this.#later()
    await reserveObject(this.#ctx.db, this.#key, this.#reservedUntil)
  }

  async store(files: ArchivedFile[], level: number, stopping: AbortSignal): Promise<void> {
    const over = new AbortController()
    const total = files.reduce((sum, file) => sum + file.size, 0)
    const body = archive(files, { storage: this.#ctx.storage, level, signal: AbortSignal.any([stopping, over.signal]) })
    const watching = this.#watch(over, () => (total === 0 ? 0 : body.bytesTaken() / total))
    try {
      const size = await this.#ctx.storage.write(this.#key, body.stream)
      over.abort()
      await watching
      await this.#putToUse(size)
    } catch (error) {
      over.abort(error)
      throw over.signal.reason instanceof Superseded ? over.signal.reason : error
    }
  }

  /** Shows progress until `over`, and ends the work when it is of no use any more. A database that is away for a moment does not matter. */
  async #watch(over: AbortController, progress: () => number): Promise<void> {
    try {
      for await (const _ of every(PROGRESS_EVERY, undefined, { signal: over.signal })) {
        const wanted = await this.#stillOurs(progress()).catch((err) => this.#ctx.log.warn({ err }, 'zip progress could not be noted'))
        if (wanted === false) over.abort(new Superseded())
      }
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }

  async #stillOurs(progress: number): Promise<boolean> {
    if (!(await noteZipProgress(this.#ctx.db, this.#payload, progress))) return false
    const until = this.#later()
    if (!(await extendReservation(this.#ctx.db, this.#key, this.#reservedUntil, until))) return false
    this.#reservedUntil = until
    return true
  }

  async #putToUse(size: number): Promise<void> {
    await this.#ctx.db.transaction().execute(async (trx) => {
      if (!(await noteZipReady(trx, this.#payload, size))) throw new Superseded()
      if (!(await keepObject(trx, this.#key, this.#reservedUntil))) throw new Superseded()
    })
  }

  /** Lets the clean-up remove what was written, unless another worker has taken it over. */
  async discard(): Promise<void> {
    await extendReservation(this.#ctx.db, this.#key, this.#reservedUntil, this.#ctx.now())
  }

  #later(): Date {
    return new Date(this.#ctx.now().getTime() + RESERVED)
  }
}
