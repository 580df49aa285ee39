import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import { keepObject, reserveObject } from '../db/deleted-objects.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { logoMaxBytes, logoMaxPixels, logoSizes } from './limits.ts'
import type { LogoRefused } from './logo-image.ts'
import { lockSettings, storedSetting, storeSetting } from './queries.ts'

const key = 'general.logo'
/** Milliseconds for which the clean-up keeps written logos that aren't in use yet. */
const reservedFor = 600_000

/**
 * Replaces the logo with a square PNG in all sizes and returns its version. Every replica uses it
 * from its next request. If a step fails, the clean-up deletes the written files.
 * @throws {AppError} logo_not_png, logo_not_square
 * @throws {AppError} logo_too_large: with `maxPixels` and `maxBytes`
 * @throws {AppError} unavailable: the clean-up deleted a file before it was in use, with
 *   `retryAfter` in seconds
 */
export async function replaceLogo(ctx: Pick<Context, 'db' | 'storage' | 'now'>, image: Buffer): Promise<string> {
  const logos = await deriveInThread(image)
  const version = randomUUID()
  const until = new Date(ctx.now().getTime() + reservedFor)
  for (const { size, logo } of logos) {
    await reserveObject(ctx.db, logoKey(version, size), until)
    await ctx.storage.write(logoKey(version, size), Readable.from([logo]))
  }
  await ctx.db.transaction().execute(async (db) => {
    await lockSettings(db)
    await releaseLogo(db)
    await storeSetting(db, key, version, ctx.now())
    for (const size of logoSizes) {
      if (!(await keepObject(db, logoKey(version, size), until))) throw new AppError('unavailable', { retryAfter: 1 })
    }
  })
  return version
}

interface ThreadResult {
  logos?: Uint8Array[]
  refused?: LogoRefused['code']
}

async function deriveInThread(image: Buffer): Promise<{ size: number; logo: Buffer }[]> {
  const thread = new Worker(new URL('./logo-thread.ts', import.meta.url), { workerData: image })
  const [{ logos = [], refused }] = (await once(thread, 'message')) as [ThreadResult]
  if (refused) throw new AppError(refused, refused === 'logo_too_large' ? { maxPixels: logoMaxPixels, maxBytes: logoMaxBytes } : {})
  return logoSizes.map((size, index) => ({ size, logo: Buffer.from(logos[index] ?? []) }))
}

/**
 * Leaves the files of the current logo to the clean-up. Call it in the transaction that resets or
 * replaces the logo.
 */
export async function releaseLogo(db: Db): Promise<void> {
  const version = await logoVersion(db)
  if (!version) return
  await db
    .insertInto('deletedObject')
    .values(logoSizes.map((size) => ({ key: logoKey(version, size) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns the version of the uploaded logo; empty if there is none. */
export async function logoVersion(db: Db): Promise<string> {
  const version = await storedSetting(db, key)
  return typeof version === 'string' ? version : ''
}

/** Returns the key of a logo in the object store. */
export function logoKey(version: string, size: number): string {
  return `logos/${version}/${size}`
}
