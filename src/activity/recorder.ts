import { setTimeout as sleep } from 'node:timers/promises'
import { readSettings } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { networkKey } from '../http/networks.ts'
import { recordHandOvers } from './notices.ts'
import { recordEvents, recordRanges, type SentRange, type UploadLinkEvent, type VisitEvent } from './queries.ts'
import { foldDownloads, recordRecipients } from './recipients.ts'

/** What is recorded together; more wait for the next second. */
const batchSize = 1_000
/** Entries that wait at most; more are lost, because a server must not run out of memory. */
const waitingMax = 20_000
const interval = 1_000 // ms
const pauseMax = 30_000 // ms
/** Failures in a row, in about five minutes, after which a batch is lost. */
const failuresMax = 12
/** Attempts to record a batch at once. */
const attempts = 4

type RecordedEvent = VisitEvent | UploadLinkEvent

/** Records what visitors do, in batches, so that no request waits for it. */
export interface Recorder {
  sent(range: SentRange): void
  event(event: RecordedEvent): void
  /** Runs `work`, which `close` waits for. A failure is logged. */
  run(work: () => Promise<unknown>): void
  /** Records everything that waits. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** The part of the context that records what visitors do. */
export interface Recording {
  recorder: Recorder
}

type RecorderContext = Pick<Context, 'db' | 'env' | 'log' | 'metrics'>

/** Opens a recorder. Its owner closes it after the last request and before the database. */
export function openRecorder(ctx: RecorderContext): Recorder {
  /** By what distinguishes them, so that a visitor who repeats a request adds nothing. */
  const ranges = new Map<string, SentRange>()
  const events = new Map<string, RecordedEvent>()
  let dropped = 0
  const running = new Set<Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  let flushing = Promise.resolve()
  let failures = 0

  function add<T>(waiting: Map<string, T>, key: string, entry: T): void {
    if (waiting.has(key)) return
    if (waiting.size < waitingMax) waiting.set(key, entry)
    else dropped += 1
    schedule()
  }

  function schedule(): void {
    timer ??= setTimeout(flush, Math.min(interval * 2 ** failures, pauseMax))
  }

  /** Records the oldest entries. Returns false if they wait for the next attempt, or are lost. */
  async function recordOldest(): Promise<boolean> {
    const batch = { ranges: takeOldest(ranges), events: takeOldest(events), dropped: 0 }
    try {
      await recordBatch(ctx, batch)
      failures = 0
      return true
    } catch (err) {
      failures = (failures + 1) % failuresMax
      if (failures > 0) putBack(batch)
      ctx.log.error({ err, ranges: batch.ranges.size, events: batch.events.size, lost: failures === 0 }, 'downloads not recorded')
      schedule()
      return false
    } finally {
      dropped += batch.dropped
    }
  }

  function putBack(batch: Batch): void {
    for (const [key, range] of batch.ranges) add(ranges, key, range)
    for (const [key, event] of batch.events) add(events, key, event)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    flushing = flushing.then(async () => {
      while (ranges.size + events.size > 0 && (await recordOldest()));
      if (dropped > 0) ctx.log.warn({ entries: dropped }, 'too much activity to record')
      dropped = 0
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
      add(ranges, `${linkUid} ${visitor} ${item} ${start} ${end}`, range)
    },
    event(event) {
      const { linkUid, kind, visitor, network, reason = '' } = event
      const item = ('reverseShareId' in event ? event.shareId : event.item) ?? ''
      add(events, `${linkUid} ${kind} ${kind === 'handed-out' ? visitor : network} ${item} ${reason}`, event)
    },
    run,
    flush,
    async close() {
      await Promise.all(running)
      await flush()
      clearTimeout(timer)
    },
  }
}

/** What is recorded together. */
interface Batch {
  ranges: Map<string, SentRange>
  events: Map<string, RecordedEvent>
  /** How many entries were not kept because there are too many. */
  dropped: number
}

/** Removes the oldest entries from those that wait, and returns them. */
function takeOldest<T>(waiting: Map<string, T>): Map<string, T> {
  const taken = new Map([...waiting].slice(0, batchSize))
  for (const key of taken.keys()) waiting.delete(key)
  return taken
}

/** Records a batch, and removes from it what was recorded. */
async function recordBatch(ctx: RecorderContext, batch: Batch): Promise<void> {
  const settings = await readSettings(ctx)
  const isOn = settings['share.activity']
  if (batch.ranges.size > 0) {
    const ranges = withShownAddresses([...batch.ranges.values()], settings)
    const recorded = await repeated(() => recordRanges(ctx.db, ranges, isOn))
    for (const { complete } of recorded) if (complete) ctx.metrics.record({ kind: 'download', outcome: 'complete' })
    batch.dropped += recorded.filter(({ isDropped }) => isDropped).length
    batch.ranges.clear()
    const linkUids = ranges.map(({ linkUid }) => linkUid)
    if (isOn && recorded.some(({ complete }) => complete)) await repeated(() => foldDownloads(ctx.db, linkUids))
  }
  const events = withShownAddresses([...batch.events.values()], settings)
  await repeated(() => recordHandOvers(ctx.db, events))
  if (!isOn || events.length === 0) return
  await repeated(() => recordRecipients(ctx.db, events))
  batch.dropped += await repeated(() => recordEvents(ctx.db, events))
}

/**
 * Tries again after pauses of some 100 ms, because a share may be deleted at the same time, which
 * fails all, or the database may be away.
 * @throws the last error
 */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (err) {
      if (attempt === attempts) throw err
      await sleep(2 ** attempt * (50 + Math.random() * 100))
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
