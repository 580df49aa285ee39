import { setInterval as every } from 'node:timers/promises'
import { UnrecoverableError } from 'bullmq'
import { readSettings } from '../src/config/service.ts'
import type { Context } from '../src/context.ts'
import { extendReservation, keepObject, reserveObject } from '../src/db/deleted-objects.ts'
import { archivedFiles } from '../src/downloads/queries.ts'
import { lockWantedZip, markZipFailed, markZipReady, markZipUnneeded, recordZipProgress } from '../src/downloads/zip/queries.ts'
import type { Jobs } from '../src/queue/jobs.ts'
import { queueCleanUp } from '../src/shares/service.ts'
import { ObjectMissing } from '../src/storage/object-store.ts'
import { type ArchivedFile, archive } from './archive.ts'

type Payload = Jobs['build-zip']
type Tools = Pick<Context, 'db' | 'env' | 'queue' | 'storage' | 'log' | 'now'>

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
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  if (level === 0) return markZipUnneeded(ctx.db, payload)
  const zip = new ZipInWork(ctx, payload)
  if (!(await zip.reserve())) return
  try {
    await zip.store(await archivedFiles(ctx.db, payload.shareId), level, stopping)
  } catch (error) {
    if (error instanceof Superseded) return zip.discard()
    if (error instanceof ObjectMissing) throw new UnrecoverableError(`An object of share ${payload.shareId} is missing: ${error.message}`)
    throw error
  }
}

/** After the last try: visitors see that there will be no zip. */
export async function failZip(ctx: Pick<Context, 'db'>, payload: Payload): Promise<void> {
  await markZipFailed(ctx.db, payload)
}

class ZipInWork {
  readonly #ctx: Tools
  readonly #payload: Payload
  #key = ''
  #reservedUntil = new Date(0)

  constructor(ctx: Tools, payload: Payload) {
    this.#ctx = ctx
    this.#payload = payload
  }

  /** Notes the object for removal; false when the zip is not wanted. In one step: what is in use must never be noted. */
  reserve(): Promise<boolean> {
    return this.#ctx.db.transaction().execute(async (trx) => {
      const share = await lockWantedZip(trx, this.#payload)
      if (!share) return false
      this.#key = `zips/${share.uid}/${this.#payload.revision}`
      this.#reservedUntil = this.#later()
      await reserveObject(trx, this.#key, this.#reservedUntil)
      return true
    })
  }

  async store(files: ArchivedFile[], level: number, stopping: AbortSignal): Promise<void> {
    const over = new AbortController()
    const total = files.reduce((sum, file) => sum + file.size, 0)
    const body = archive(files, { storage: this.#ctx.storage, level, signal: AbortSignal.any([stopping, over.signal]) })
    const watching = this.#watch(over, () => (total === 0 ? 0 : body.bytesTaken() / total))
    try {
      const size = await this.#ctx.storage.write(this.#key, body.stream, total)
      over.abort()
      await watching
      await this.#putToUse(size)
    } catch (error) {
      over.abort()
      throw over.signal.reason instanceof Superseded ? over.signal.reason : (body.failure() ?? error)
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
    if (!(await recordZipProgress(this.#ctx.db, this.#payload, progress))) return false
    const until = this.#later()
    if (!(await extendReservation(this.#ctx.db, this.#key, this.#reservedUntil, until))) return false
    this.#reservedUntil = until
    return true
  }

  async #putToUse(size: number): Promise<void> {
    await this.#ctx.db.transaction().execute(async (trx) => {
      if (!(await markZipReady(trx, this.#payload, size))) throw new Superseded()
      if (!(await keepObject(trx, this.#key, this.#reservedUntil))) throw new Superseded()
    })
  }

  /** Has what was written removed, unless another worker has taken it over. */
  async discard(): Promise<void> {
    if (await extendReservation(this.#ctx.db, this.#key, this.#reservedUntil, this.#ctx.now())) await queueCleanUp(this.#ctx)
  }

  #later(): Date {
    return new Date(this.#ctx.now().getTime() + RESERVED)
  }
}
