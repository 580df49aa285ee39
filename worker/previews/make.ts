import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Context } from '../../src/context.ts'
import { keepObject, reserveObject } from '../../src/db/deleted-objects.ts'
import { previewPixels, thumbnailPixels } from '../../src/previews/limits.ts'
import { type ClaimedPreview, recordPreview } from '../../src/previews/queries.ts'
import { maxPixels, type PreviewTools, pictureOf, programSeconds } from './pictures.ts'
import type { Programs } from './programs.ts'
import { ProgramFailed, runLimited } from './sandbox.ts'
import { Unsuitable } from './sources.ts'
import { type WebP, withoutMetadata } from './webp.ts'
import { inWorkFolder } from './work-folder.ts'

type Tools = Pick<Context, 'db' | 'env' | 'now' | 'storage'>

/** Milliseconds until the objects of a dead worker are removed. */
const RESERVATION = 600_000

/**
 * Makes the thumbnail and the preview of a file and stores both. They are scheduled for removal
 * until the row has them, so that a failure leaves none behind.
 *
 * @throws {Unsuitable} the file can have no preview
 * @throws {ProgramFailed}
 * @throws the errors of the store
 */
export async function makePreview(
  ctx: Tools,
  programs: Programs,
  { fileId, kind, source: key, size }: ClaimedPreview,
  shareUid: string,
  signal: AbortSignal,
): Promise<void> {
  await inWorkFolder(ctx.env.dataDir, async (folder) => {
    const tools = { storage: ctx.storage, programs, folder, signal }
    const picture = await pictureOf(tools, kind, { key, size })
    const original = await sizeOf(tools, picture)
    if (original.width * original.height > maxPixels) throw new Unsuitable(`The picture has more than ${maxPixels / 1e6} megapixels`)
    const preview = await shrink(tools, { from: picture, to: 'preview.webp', pixels: previewPixels, quality: 80 })
    const thumbnail = await shrink(tools, { from: 'preview.webp', to: 'thumbnail.webp', pixels: thumbnailPixels, quality: 75 })
    const objectKey = `previews/${shareUid}/${randomUUID()}`
    await store(ctx, fileId, { objectKey, ...upright(original, preview) }, { preview: preview.bytes, thumbnail: thumbnail.bytes })
  })
}

interface Size {
  width: number
  height: number
}

/** Reads the size in pixels that a picture declares, without decoding it. */
async function sizeOf({ programs, folder, signal }: PreviewTools, name: string): Promise<Size> {
  const header = await runLimited(programs, 'vipsheader', ['-a', name], { folder, signal, seconds: programSeconds })
  const [width, height] = ['width', 'height'].map((field) => Number(new RegExp(`^${field}: (\\d+)$`, 'm').exec(header)?.[1]))
  if (!width || !height) throw new ProgramFailed('vipsheader did not report a size')
  return { width, height }
}

/** Returns the size of a picture as its preview shows it, which may be turned by 90 degrees. */
function upright({ width, height }: Size, preview: Size): Size {
  return width > height !== preview.width > preview.height ? { width: height, height: width } : { width, height }
}

interface Shrinking {
  from: string
  to: string
  /** The maximum width and height. */
  pixels: number
  /** Of WebP, 0 to 100. */
  quality: number
}

/** Shrinks a picture that is larger, turns it upright, and drops its metadata, such as the place. */
async function shrink({ programs, folder, signal }: PreviewTools, { from, to, pixels, quality }: Shrinking): Promise<WebP> {
  const args = [from, '--size', `${pixels}x${pixels}>`, '--export-profile', 'srgb', '-o', `${to}[Q=${quality},strip]`]
  await runLimited(programs, 'vipsthumbnail', args, { folder, signal, seconds: programSeconds })
  return withoutMetadata(await readFile(join(folder, to)))
}

async function store(
  ctx: Tools,
  fileId: string,
  made: Size & { objectKey: string },
  pictures: { thumbnail: Buffer; preview: Buffer },
): Promise<void> {
  const until = new Date(ctx.now().getTime() + RESERVATION)
  const objects = Object.entries(pictures).map(([name, bytes]) => ({ key: `${made.objectKey}-${name}`, bytes }))
  for (const { key, bytes } of objects) {
    await reserveObject(ctx.db, key, until)
    await ctx.storage.write(key, Readable.from([bytes]), bytes.length)
  }
  const sizes = { thumbnailSize: pictures.thumbnail.length, previewSize: pictures.preview.length }
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await recordPreview(tx, fileId, { ...made, ...sizes }, ctx.now()))) return
    for (const { key } of objects) if (!(await keepObject(tx, key, until))) throw new Error('The preview was stored too late')
  })
}
