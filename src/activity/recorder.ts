import { readSettings } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { networkKey } from '../http/networks.ts'
import { recordEvents, recordRanges, type SentRange, type VisitEvent } from './queries.ts'

/** What is recorded together; more wait for the next second. */
const batchSize = 1_000
/** Entries that wait at most; more are lost, because a server must not run out of memory. */
const waitingMax = 20_000
const interval = 1_000 // ms
/** Attempts to record a batch. */
const attempts = 3

/** Records what visitors do, in batches, so that no request waits for it. */
export interface Recorder {
  sent(range: SentRange): void
  event(event: VisitEvent): void
  /** Runs `work`, which `close` waits for. A failure is logged. */
  run(work: () => Promise<unknown>): void
  /** Records everything that waits. */
  flush(): Promise<void>
  close(): Promise<void>
}

type Recording = Pick<Context, 'db' | 'env' | 'log' | 'metrics'>

/** Opens a recorder. Its owner closes it after the last request and before the database. */
export function openRecorder(ctx: Recording): Recorder {
  /** By what distinguishes them, so that a visitor who repeats a request adds nothing. */
  const ranges = new Map<string, SentRange>()
  const events: VisitEvent[] = []
  const running = new Set<Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  let flushing = Promise.resolve()

  function schedule(): void {
    timer ??= setTimeout(flush, interval)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    flushing = flushing.then(async () => {
      while (ranges.size + events.length > 0) await recordBatch(ctx, takeRanges(ranges), events.splice(0, batchSize))
    })
    return flushing
  }

  function run(work: () => Promise<unknown>): void {
    const done = work()
      .catch((err) => ctx.log.error({ err }, 'download not recorded'))
      .finally(() => running.delete(done))
    running.add(done)
  }

  return {
    sent(range) {
      const { linkUid, visitor, item, start, end } = range
      if (ranges.size < waitingMax) ranges.set(`${linkUid} ${visitor} ${item} ${start} ${end}`, range)
      schedule()
    },
    event(event) {
      if (events.length < waitingMax) events.push(event)
      schedule()
    },
    run,
    flush,
    async close() {
      await Promise.all(running)
      await flush()
    },
  }
}

/** Removes the oldest ranges from those that wait, and returns them. */
function takeRanges(waiting: Map<string, SentRange>): SentRange[] {
  const taken: SentRange[] = []
  for (const [key, range] of waiting) {
    if (taken.length === batchSize) break
    waiting.delete(key)
    taken.push(range)
  }
  return taken
}

async function recordBatch(ctx: Recording, ranges: readonly SentRange[], events: readonly VisitEvent[]): Promise<void> {
  const settings = await readSettings(ctx).catch(() => null)
  if (!settings) return ctx.log.error({ ranges: ranges.length, events: events.length }, 'downloads not recorded')
  const isOn = settings['share.activity']
  if (ranges.length > 0) {
    await repeated(ctx, async () => {
      const recorded = await recordRanges(ctx.db, withShownAddresses(ranges, settings), isOn)
      for (const { complete } of recorded) if (complete) ctx.metrics.record({ kind: 'download', outcome: 'complete' })
    })
  }
  if (isOn && events.length > 0) await repeated(ctx, () => recordEvents(ctx.db, withShownAddresses(events, settings)))
}

/** Tries again, because a share may be deleted at the same time, which fails the whole batch. */
async function repeated({ log }: Recording, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (err) {
      if (attempt === attempts) return log.error({ err }, 'downloads not recorded')
    }
  }
}

/** Returns these entries with their addresses as far as the setting allows to keep them. */
export function withShownAddresses<T extends { address: string | null }>(
  entries: readonly T[],
  { 'share.activityAddresses': kept }: Pick<Settings, 'share.activityAddresses'>,
): T[] {
  const shown = (address: string | null) => (kept === 'none' || address === null ? null : kept === 'full' ? address : networkKey(address))
  return entries.map((entry) => ({ ...entry, address: shown(entry.address) }))
}
