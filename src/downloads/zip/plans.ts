import type { Context } from '../../context.ts'
import type { Db, ZipPlanSummary } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { inTurns } from '../../process/in-turns.ts'
import type { Steps } from '../../process/steps.ts'
import { plannedZipFiles } from '../../shares/limits.ts'
import type { ShareAccess } from '../queries.ts'
import { type ArchivedFile, archivedFiles, archivedPage } from './archived-files.ts'
import { zipEtagSteps } from './etag.ts'
import { GrowingPlan, OutdatedSummary } from './growing-plan.ts'
import { type KeptPlan, KeptPlans, type Unplanned } from './kept-plans.ts'
import { planZipSteps, type StoredEntry, type ZipPlan } from './layout.ts'
import { zipName, zipNameSteps } from './names.ts'
import { deleteZipPlan, recordZipPlan } from './queries.ts'

type Planning = Pick<Context, 'db' | 'log' | 'pool'>
type ZippedShare = Pick<ShareAccess, 'id' | 'uid' | 'revision' | 'zipPlan'>

/** Files of the first page, which is small so that the archive begins soon, and of each later one. */
const firstPage = 250
const laterPages = 2_000
const retryAfter = 5 // s

const keptPlans = new KeptPlans()

/** Returns the plan of a share's archive, which is computed if it isn't kept. */
export function planOfShare(ctx: Planning, share: ZippedShare): Promise<KeptPlan | Unplanned> {
  return keptPlans.find(keyOf(share), async () => recordedPlan(ctx.db, share, await archivedFiles(ctx.pool, share.id)))
}

/**
 * Returns the plan of a share's archive that has a summary, once its first files are planned.
 *
 * @throws {AppError} zip_not_ready: the share has just changed
 */
export async function growingPlanOf(ctx: Planning, share: ZippedShare, summary: ZipPlanSummary): Promise<ZipPlan> {
  const planned = await keptPlans.find(keyOf(share), () => growPlan(ctx, share, summary))
  if ('plan' in planned) return planned.plan
  throw new AppError('zip_not_ready', { ...planned, retryAfter })
}

async function growPlan(ctx: Planning, share: ZippedShare, summary: ZipPlanSummary): Promise<KeptPlan | Unplanned> {
  const plan = new GrowingPlan(summary, pagesOf(ctx, share))
  plan.whole.catch(async (err) => {
    keptPlans.drop(keyOf(share))
    ctx.log.warn({ err, share: share.uid }, 'planned zip could not be completed')
    if (err instanceof OutdatedSummary) await deleteZipPlan(ctx.db, share).catch(() => {}) // the next request tries again
  })
  try {
    await plan.planned(0)
  } catch (error) {
    if (error instanceof OutdatedSummary) return { progress: 0 }
    throw error
  }
  return { plan, etag: summary.etag }
}

async function* pagesOf({ pool }: Planning, share: ZippedShare): AsyncGenerator<StoredEntry[]> {
  let last: ArchivedFile | undefined
  for (let limit = firstPage; ; limit = laterPages) {
    const files = await archivedPage(pool, share, last, limit)
    if (files.length > 0) yield await inTurns(entriesOf(files))
    if (files.length < limit) return
    last = files.at(-1)
  }
}

/** Makes entries in steps, because long names take seconds. */
function* entriesOf(files: readonly ArchivedFile[]): Steps<StoredEntry[]> {
  const entries: StoredEntry[] = []
  for (const file of files) {
    entries.push(entryOf(file, zipName(file.name)))
    yield
  }
  return entries
}

/**
 * Returns the plan of a share with these files, or the part of their checksums that are known.
 * Records a summary of it if the share is large, and each entry's name depends only on its file's.
 */
export async function recordedPlan(
  db: Db,
  { id, revision }: Pick<ZippedShare, 'id' | 'revision'>,
  files: readonly ArchivedFile[],
): Promise<KeptPlan | Unplanned> {
  const planned = await planOfFiles(files)
  if ('plan' in planned && files.length >= plannedZipFiles && (await inTurns(haveOwnNames(files, planned.plan)))) {
    const { plan, etag } = planned
    await recordZipPlan(db, id, { revision, files: files.length, size: plan.size, etag })
  }
  return planned
}

/**
 * Plans the archive of these files, whose names lose their first `cut` characters, if their
 * checksums are known.
 */
export async function planOfFiles(files: readonly ArchivedFile[], cut = 0): Promise<KeptPlan | Unplanned> {
  const checked = files.filter(({ crc32 }) => crc32 !== null)
  if (checked.length < files.length) return { progress: checked.length / files.length }
  const names = await inTurns(zipNameSteps(files.map(({ name }) => name.slice(cut))))
  const plan = await inTurns(planZipSteps(files.map((file, index) => entryOf(file, names[index] ?? file.name))))
  return { plan, etag: await inTurns(zipEtagSteps(plan)) }
}

function* haveOwnNames(files: readonly ArchivedFile[], { entries }: ZipPlan): Steps<boolean> {
  for (const [index, { name }] of files.entries()) {
    if (entries[index]?.name !== zipName(name)) return false
    yield
  }
  return true
}

function entryOf({ size, crc32, completedAt, objectKey: key }: ArchivedFile, name: string): StoredEntry {
  return { name, size, crc32: crc32 ?? 0, modified: new Date(completedAt), key }
}

function keyOf({ uid, revision }: ZippedShare): string {
  return `${uid}/${revision}`
}
