import { plannedZipFiles } from '../../shares/limits.ts'
import type { ZipPlan } from './layout.ts'

/** A planned archive with its validator. */
export interface KeptPlan {
  plan: ZipPlan
  etag: string
}

/** The part of the checksums that are known, 0 to 1, before an archive can be planned. */
export interface Unplanned {
  progress: number
}

type Planned = KeptPlan | Unplanned

const MAX_ENTRIES = 200_000 // of all kept plans together, about 60 MB
const KEEP_FOR = 300_000 // ms after the last use

interface Kept {
  planned: Promise<Planned>
  entries: number
  timer: NodeJS.Timeout
}

/**
 * Keeps the plans of large archives in memory for five minutes, because a page, a download and its
 * continuation need the same one. Requests that come while it is computed share it.
 */
export class KeptPlans {
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept>()

  /** Returns the plan of an archive's revision, which `compute` finds. */
  find(key: string, compute: () => Promise<Planned>): Promise<Planned> {
    const found = this.#kept.get(key)
    if (found) {
      this.#kept.delete(key)
      this.#kept.set(key, found)
      found.timer.refresh()
      return found.planned
    }
    const timer = setTimeout(() => this.#kept.delete(key), KEEP_FOR).unref()
    const kept: Kept = { planned: compute(), entries: 0, timer }
    this.#kept.set(key, kept)
    kept.planned.then(
      (planned) => this.#keep(key, kept, 'plan' in planned ? planned.plan.entries.length : 0),
      () => this.#keep(key, kept, 0),
    )
    return kept.planned
  }

  /** Forgets the plan of an archive's revision. */
  drop(key: string): void {
    const kept = this.#kept.get(key)
    if (kept) this.#drop(key, kept)
  }

  #keep(key: string, kept: Kept, entries: number): void {
    kept.entries = entries
    if (entries < plannedZipFiles) this.#drop(key, kept)
    let total = 0
    for (const [key, kept] of [...this.#kept].reverse()) {
      total += kept.entries
      if (total > MAX_ENTRIES && kept.entries > 0) this.#drop(key, kept)
    }
  }

  #drop(key: string, { timer }: Kept): void {
    clearTimeout(timer)
    this.#kept.delete(key)
  }
}
