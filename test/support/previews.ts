import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Context } from '../../src/context.ts'
import type { Jobs } from '../../src/queue/jobs.ts'
import { makePreviews } from '../../worker/make-previews.ts'
import type { waitingJobs } from './app/queue.ts'
import { png } from './png.ts'
import { unlessRuns } from './server-program.ts'

const advice = 'apt-get install libvips-tools ffmpeg poppler-utils'
/** Why previews can't be made here; undefined if they can. */
export const withoutVips = unlessRuns('vipsthumbnail', '--version', advice)
export const withoutFfmpeg = withoutVips ?? unlessRuns('ffmpeg', '-version', advice)
export const withoutPoppler = withoutVips ?? unlessRuns('pdftoppm', '-v', advice)

/** Runs commands in a folder of their own and returns the file that they write. */
function made(file: string, input: Record<string, Buffer>, commands: string[][]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'razorbill-samples-'))
  try {
    for (const [name, bytes] of Object.entries(input)) writeFileSync(join(folder, name), bytes)
    for (const [command = '', ...args] of commands) execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    return readFileSync(join(folder, file))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A picture of 900 × 600 pixels with colors that change, in one of vips' formats. */
export function picture(format: string, [width, height] = [900, 600]): Buffer {
  const source = png(width as number, height as number, (x, y) => [x % 256, y % 256, (x + y) % 256, 255])
  const name = `out.${format.replace(/\[.*/, '')}`
  return made(name, { 'in.png': source }, [['vips', 'copy', 'in.png', `out.${format}`]])
}

/** A video of noise without sound, 8 seconds and about 3 MB long, that Chromium plays without licensed decoders. */
export function webm(): Buffer {
  const noise = 'testsrc2=size=320x240:rate=10:duration=8,noise=alls=60:allf=t'
  const codec = ['-c:v', 'libvpx', '-b:v', '3M', '-g', '10', '-deadline', 'realtime', '-cpu-used', '8']
  return made('out.webm', {}, [['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', noise, ...codec, 'out.webm']])
}

/** Inserts an EXIF segment with an orientation, a maker and a place into a JPEG. */
export function withExif(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.alloc(80)
  tiff.write('MM\0*\0\0\0\x08\0\x03', 0, 'latin1')
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    tiff.writeUInt16BE(tag, at)
    tiff.writeUInt16BE(type, at + 2)
    tiff.writeUInt32BE(count, at + 4)
    if (type === 3) tiff.writeUInt16BE(value, at + 8)
    else tiff.writeUInt32BE(value, at + 8)
  }
  entry(10, 0x010f, 2, 12, 50) // Make
  entry(22, 0x0112, 3, 1, orientation)
  entry(34, 0x8298, 2, 12, 62) // Copyright
  tiff.write('SecretMaker\0', 50, 'latin1')
  tiff.write('SecretPlace\0', 62, 'latin1')
  const content = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)])
}

/** A RAW file in the form of TIFF: its orientation, noise, a small and a large JPEG. */
export function rawFile(large: Buffer, small: Buffer, orientation: number): Buffer {
  const head = Buffer.alloc(26)
  head.write('II*\0', 0, 'latin1')
  head.writeUInt32LE(8, 4)
  head.writeUInt16LE(1, 8)
  head.writeUInt16LE(0x0112, 10)
  head.writeUInt16LE(3, 12)
  head.writeUInt32LE(1, 14)
  head.writeUInt16LE(orientation, 18)
  const noise = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 7919) % 251))
  const sensor = Buffer.from('ffd8ffc3000b0e0bb80fa001011100ffda0008010100013f00ffd9', 'hex') // lossless, for no one to see
  return Buffer.concat([head, small, noise, sensor, Buffer.from([0xff, 0xd8, 0xff]), large, noise])
}

/** A video of 320 × 240 pixels with square or other pixels; QuickTime with its contents at the end. */
export function video(format: string, filter = 'null'): Buffer {
  const name = `out.${format}`
  const codec = format === 'webm' ? 'libvpx' : 'mpeg4'
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=320x240:rate=10:duration=1', '-vf', filter]
  return made(name, {}, [['ffmpeg', '-loglevel', 'error', ...source, '-c:v', codec, name]])
}

/** A PDF with pages of a size in points, each with a filled rectangle. */
export function pdf(width: number, height: number): Buffer {
  const content = `0.2 0.4 0.9 rg 20 20 ${width / 2} ${height / 2} re f`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ]
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('')
  return Buffer.from(`%PDF-1.4\n${body}trailer << /Root 1 0 R /Size 5 >>\n%%EOF\n`)
}

/** The width and height of a WebP file, and whether it has metadata. */
export function webpOf(bytes: Buffer): { width: number; height: number; hasMetadata: boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'razorbill-webp-'))
  try {
    writeFileSync(join(folder, 'a.webp'), bytes)
    const field = (name: string) => Number(execFileSync('vipsheader', ['-f', name, join(folder, 'a.webp')]))
    return { width: field('width'), height: field('height'), hasMetadata: /EXIF|XMP |ICCP|Secret/.test(bytes.toString('latin1')) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Makes the queued previews, also those that are queued meanwhile. */
export async function runPreviewJobs(ctx: Context, queue: ReturnType<typeof waitingJobs>): Promise<void> {
  for (let at = queue.jobs.findIndex(isPreviewJob); at >= 0; at = queue.jobs.findIndex(isPreviewJob)) {
    const [job] = queue.jobs.splice(at, 1)
    await makePreviews(ctx, job?.payload as Jobs['make-previews'], new AbortController().signal)
  }
}

const isPreviewJob = ({ name }: { name: string }) => name === 'make-previews'

/** Gives a file a preview as the worker does, without making one. Returns its objects' keys. */
export async function storePreview(ctx: Context, fileId: string, bytes = { thumbnail: 'small', preview: 'larger' }): Promise<string[]> {
  const { uid } = await ctx.db
    .selectFrom('file')
    .innerJoin('share', 'share.id', 'file.shareId')
    .select('uid')
    .where('file.id', '=', fileId)
    .executeTakeFirstOrThrow()
  const objectKey = `previews/${uid}/${crypto.randomUUID()}`
  for (const [name, text] of Object.entries(bytes)) await ctx.storage.write(`${objectKey}-${name}`, Readable.from([Buffer.from(text)]))
  const sizes = { thumbnailSize: bytes.thumbnail.length, previewSize: bytes.preview.length }
  const row = { fileId, kind: 'image' as const, objectKey, width: 4000, height: 3000, ...sizes, createdAt: ctx.now() }
  await ctx.db
    .insertInto('preview')
    .values(row)
    .onConflict((conflict) => conflict.column('fileId').doUpdateSet(row))
    .execute()
  return ['preview', 'thumbnail'].map((name) => `${objectKey}-${name}`)
}
