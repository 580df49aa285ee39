import type { ZipPlanSummary } from '../../db/schema.ts'
import { inTurns } from '../../process/in-turns.ts'
import { zipEtagSteps } from './etag.ts'
import { Layout, type StoredEntry, type ZipPlan } from './layout.ts'

/** The files differ from those that a summary describes. */
export class OutdatedSummary extends Error {}

/**
 * A plan of an archive whose length and validator are known, so that it can be sent while the
 * entries arrive. Before its central directory is sent, it is compared with the summary.
 */
export class GrowingPlan implements ZipPlan {
  readonly entries: readonly StoredEntry[]
  readonly offsets: Float64Array
  readonly size: number
  /** Resolves when all pieces are planned. Rejects with `OutdatedSummary` or the error of `pages`. */
  readonly whole: Promise<void>
  readonly #layout: Layout
  /** Pieces that are planned. */
  #pieces = 0
  #more = Promise.withResolvers<void>()

  /** Plans the entries of all `pages`, in their order. */
  constructor(summary: ZipPlanSummary, pages: AsyncIterable<readonly StoredEntry[]>) {
    this.#layout = new Layout(summary.files)
    this.entries = this.#layout.entries
    this.offsets = this.#layout.offsets
    this.size = summary.size
    this.whole = this.#grow(summary, pages)
    this.whole.catch((error) => {
      this.#more.promise.catch(() => {}) // no one may be waiting
      this.#more.reject(error)
    })
  }

  async planned(piece: number): Promise<void> {
    while (piece >= this.#pieces) await this.#more.promise
  }

  async #grow({ size, etag }: ZipPlanSummary, pages: AsyncIterable<readonly StoredEntry[]>): Promise<void> {
    let pieces = 0
    for await (const page of pages) {
      pieces += page.length
      if (pieces > this.entries.length) throw new OutdatedSummary('There are more files than planned')
      for (const entry of page) this.#layout.add(entry)
      this.#publish(pieces)
    }
    if (pieces < this.entries.length) throw new OutdatedSummary('There are fewer files than planned')
    const plan = await inTurns(this.#layout.finish())
    if (plan.size !== size || (await inTurns(zipEtagSteps(plan))) !== etag)
      throw new OutdatedSummary('The files differ from the planned ones')
    this.#publish(this.offsets.length - 1)
  }

  #publish(pieces: number): void {
    this.#pieces = pieces
    this.#more.resolve()
    this.#more = Promise.withResolvers()
  }
}
