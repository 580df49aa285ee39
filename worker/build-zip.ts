import { setInterval as every } from 'node:timers/promises'
import { UnrecoverableError } from 'bullmq'
import { readSettings } from '../src/config/service.ts'
import type { Context } from '../src/context.ts'
import { extendReservation, keepObject, reserveObject } from '../src/db/deleted-objects.ts'
import { archivedFiles } from '../src/downloads/zip/archived-files.ts'
import { recordedPlan } from '../src/downloads/zip/plans.ts'
import { lockPreparingZip, markZipFailed, markZipReady, markZipUnneeded, recordZipProgress } from '../src/downloads/zip/queries.ts'
import type { Jobs } from '../src/queue/jobs.ts'
import { plannedZipFiles } from '../src/shares/limits.ts'
import { queueCleanUp } from '../src/shares/service.ts'
import { ObjectMissing } from '../src/storage/object-store.ts'
import { type ArchivedFile, archive } from './archive.ts'
import { isCompressed } from './compressed-types.ts'

type Payload = Jobs['build-zip']
type Tools = Pick<Context, 'db' | 'env' | 'pool' | 'queue' | 'storage' | 'log' | 'now'>

const PROGRESS_INTERVAL = 1_000 // ms
/** Milliseconds until the unfinished zip of a dead worker is removed. */
const RESERVATION = 3_600_000

/** The share was changed or deleted, or another worker builds the zip, so this one is discarded. */
class Superseded extends Error {}

/**
 * Builds a share's zip and stores it as `zips/{uid}/{revision}`, unless it is no longer needed, or
 * all files are compressed already. Then the server streams it from the files, and a summary of a
 * large one is recorded, so that its first download begins at once. The object is scheduled for
 * removal until the row is "ready", so that a failure leaves none behind. A missing object is a
 * permanent failure; other errors can be retried.
 */
export async function buildZip(ctx: Tools, payload: Payload, stopping: AbortSignal): Promise<void> {
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  const files = await archivedFiles(ctx.pool, payload.shareId)
  if (level === 0 || files.every(({ name }) => isCompressed(name))) {
    await markZipUnneeded(ctx.db, payload)
    if (files.length >= plannedZipFiles) await recordedPlan(ctx.db, { id: payload.shareId, revision: payload.revision }, files)
    return
  }
  const zip = new ZipBuild(ctx, payload)
  if (!(await zip.reserve())) return
  try {
    await zip.store(files, level, stopping)
  } catch (error) {
    if (error instanceof Superseded) return zip.discard()
    if (error instanceof ObjectMissing) throw new UnrecoverableError(`An object of share ${payload.shareId} is missing: ${error.message}`)
    throw error
  }
}

/** Marks a zip as failed after the last attempt, so that the share page offers single files. */
export async function failZip(ctx: Pick<Context, 'db'>, payload: Payload): Promise<void> {
  await markZipFailed(ctx.db, payload)
}

class ZipBuild {
  readonly #ctx: Tools
  readonly #payload: Payload
  #key = ''
  #reservedUntil = new Date(0)

  constructor(ctx: Tools, payload: Payload) {
    this.#ctx = ctx
    this.#payload = payload
  }

  /**
   * Schedules the object for removal; returns false when the zip is not needed. One transaction,
   * because an object in use must never be scheduled.
   */
  reserve(): Promise<boolean> {
    return this.#ctx.db.transaction().execute(async (trx) => {
      const share = await lockPreparingZip(trx, this.#payload)
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
    const watching = this.#watch(over, () => (total === 0 ? 0 : body.bytesRead() / total))
    try {
      const size = await this.#ctx.storage.write(this.#key, body.stream, total)
      over.abort()
      await watching
      await this.#publish(size)
    } catch (error) {
      over.abort()
      throw over.signal.reason instanceof Superseded ? over.signal.reason : (body.failure() ?? error)
    }
  }

  /**
   * Records progress until `over`, and aborts a superseded build. Database errors are only logged.
   */
  async #watch(over: AbortController, progress: () => number): Promise<void> {
    try {
      for await (const _ of every(PROGRESS_INTERVAL, undefined, { signal: over.signal })) {
        const isCurrent = await this.#recordProgress(progress()).catch((err) =>
          this.#ctx.log.warn({ err }, 'zip progress could not be saved'),
        )
        if (isCurrent === false) over.abort(new Superseded())
      }
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }

  /** Returns false when the build is superseded. */
  async #recordProgress(progress: number): Promise<boolean> {
    if (!(await recordZipProgress(this.#ctx.db, this.#payload, progress))) return false
    const until = this.#later()
    if (!(await extendReservation(this.#ctx.db, this.#key, this.#reservedUntil, until))) return false
    this.#reservedUntil = until
    return true
  }

  async #publish(size: number): Promise<void> {
    await this.#ctx.db.transaction().execute(async (trx) => {
      if (!(await markZipReady(trx, this.#payload, size))) throw new Superseded()
      if (!(await keepObject(trx, this.#key, this.#reservedUntil))) throw new Superseded()
    })
  }

  /** Removes the object, unless another worker builds it now. */
  async discard(): Promise<void> {
    if (await extendReservation(this.#ctx.db, this.#key, this.#reservedUntil, this.#ctx.now())) await queueCleanUp(this.#ctx)
  }

  #later(): Date {
    return new Date(this.#ctx.now().getTime() + RESERVATION)
  }
}
