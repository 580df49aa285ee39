import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import { keepObject, reserveObject } from '../db/deleted-objects.ts'
import type { Db } from '../db/schema.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { logoMaxBytes, logoMaxPixels, logoSizes } from './limits.ts'
import { lockSettings, storedSetting, storeSetting } from './queries.ts'

const key = 'general.logo'
/** How long what was written is left alone while it is not in use yet, in ms. */
const reserved = 600_000

/**
 * Makes a square PNG the logo, in all its sizes, for every replica from its next request on; answers its version. What was written goes by itself when
 * something fails on the way. Throws `logo_not_png`, `logo_not_square`, `logo_too_large`.
 */
export async function replaceLogo(ctx: Pick<Context, 'db' | 'storage' | 'now'>, image: Buffer): Promise<string> {
  const logos = await derived(image)
  const version = randomUUID()
  const until = new Date(ctx.now().getTime() + reserved)
  for (const [index, size] of logoSizes.entries()) {
    await reserveObject(ctx.db, objectOf(version, size), until)
    await ctx.storage.write(objectOf(version, size), Readable.from([logos[index]!]))
  }
  await ctx.db.transaction().execute(async (db) => {
    await lockSettings(db)
    await releaseLogo(db)
    await storeSetting(db, key, version, ctx.now())
    for (const size of logoSizes) {
      if (!(await keepObject(db, objectOf(version, size), until))) throw new AppError('unavailable', { retryAfter: 1 })
    }
  })
  return version
}

async function derived(image: Buffer): Promise<Uint8Array[]> {
  const thread = new Worker(new URL('./logo-thread.ts', import.meta.url), { workerData: image })
  const [{ logos, refused }] = (await once(thread, 'message')) as [{ logos?: Uint8Array[]; refused?: ErrorCode }]
  if (logos) return logos.map((logo) => Buffer.from(logo))
  throw new AppError(refused!, refused === 'logo_too_large' ? { maxPixels: logoMaxPixels, maxBytes: logoMaxBytes } : {})
}

/** Leaves the bytes of the present logo to the clean-up; inside the transaction that resets or replaces it. */
export async function releaseLogo(db: Db): Promise<void> {
  const version = await logoVersion(db)
  if (!version) return
  await db
    .insertInto('deletedObject')
    .values(logoSizes.map((size) => ({ key: objectOf(version, size) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The version of the logo in force; empty while there is no own one. */
export async function logoVersion(db: Db): Promise<string> {
  const version = await storedSetting(db, key)
  return typeof version === 'string' ? version : ''
}

/** Where a logo lies in the object store. */
export function objectOf(version: string, size: number): string {
  return `logos/${version}/${size}`
}
