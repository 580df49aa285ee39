import type { Context } from '../../src/context.ts'
import {
  type ClaimedPreview,
  claimPreview,
  listPreviews,
  maxAttempts,
  recordFailure,
  sharesWithDuePreviews,
} from '../../src/previews/queries.ts'
import { StoreUnavailable } from '../../src/storage/object-store.ts'
import { makePreview } from './make.ts'
import { findPrograms, type Programs } from './programs.ts'
import { ProgramFailed } from './sandbox.ts'
import { Unsuitable } from './sources.ts'

type Tools = Pick<Context, 'db' | 'env' | 'log' | 'now' | 'queue' | 'storage'>

/** Maximum number of files of one share before the next share has its turn. */
const FILES_IN_A_ROW = 20
/** Shares that a clean-up queues. */
const SHARES_AT_ONCE = 5
/** Shares whose files a clean-up looks through. */
const LISTED_AT_ONCE = 100
/** Milliseconds until a file whose worker died is tried again. Longer than an attempt takes. */
const CLAIM = 600_000
/** Milliseconds before a second attempt, and twice as many before a third. */
const RETRY_AFTER = 60_000

/**
 * Makes the previews of a share's files that are due, and queues the share again if some are left.
 */
export async function previewsOfShare(ctx: Tools, shareUid: string, stopping: AbortSignal): Promise<void> {
  const programs = await findPrograms(ctx)
  if (programs.kinds.length === 0) return
  await listPreviews(ctx.db, { uid: shareUid }, ctx.now())
  for (let made = 0; made < FILES_IN_A_ROW; made++) {
    stopping.throwIfAborted()
    const now = ctx.now()
    const claim = { shareUid, kinds: programs.kinds, now, until: new Date(now.getTime() + CLAIM) }
    const claimed = await claimPreview(ctx.db, claim)
    if (!claimed) return
    await attempt(ctx, programs, claimed, shareUid, stopping)
  }
  await ctx.queue.add('make-previews', { shareUid }, `previews-${shareUid}`)
}

/** Makes one preview. A failure is recorded in the row and does not fail the job. */
async function attempt(ctx: Tools, programs: Programs, claimed: ClaimedPreview, shareUid: string, stopping: AbortSignal): Promise<void> {
  const { fileId, kind, attempts } = claimed
  const later = (ms: number) => new Date(ctx.now().getTime() + ms)
  try {
    await makePreview(ctx, programs, claimed, shareUid, stopping)
  } catch (error) {
    const message = (error as Error).message.slice(0, 500)
    const interrupted = stopping.aborted || error instanceof StoreUnavailable
    if (interrupted) await recordFailure(ctx.db, fileId, { error: message, dueAt: ctx.now(), attempts: attempts - 1 })
    else if (error instanceof Unsuitable) await recordFailure(ctx.db, fileId, { error: message, dueAt: ctx.now(), attempts: maxAttempts })
    else await recordFailure(ctx.db, fileId, { error: message, dueAt: later(RETRY_AFTER * attempts) })
    if (interrupted) throw error
    const isExpected = error instanceof Unsuitable || error instanceof ProgramFailed
    ctx.log[isExpected ? 'info' : 'warn']({ fileId, kind, attempts, reason: message }, 'preview could not be made')
  }
}

/** Lists files that may lack a preview, and queues a few of the shares that wait. */
export async function enqueuePreviews(ctx: Tools): Promise<void> {
  const { kinds } = await findPrograms(ctx)
  if (kinds.length === 0) return
  await listPreviews(ctx.db, { limit: LISTED_AT_ONCE }, ctx.now())
  const shares = await sharesWithDuePreviews(ctx.db, { kinds, now: ctx.now(), limit: SHARES_AT_ONCE })
  for (const shareUid of shares) await ctx.queue.add('make-previews', { shareUid }, `previews-${shareUid}`)
}
