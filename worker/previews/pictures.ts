import { join } from 'node:path'
import type { PreviewKind } from '../../src/previews/kinds.ts'
import { previewPixels } from '../../src/previews/limits.ts'
import type { ObjectStore } from '../../src/storage/object-store.ts'
import { signatureOf } from '../../src/uploads/signatures.ts'
import { extractJpeg } from './embedded-jpeg.ts'
import type { Programs } from './programs.ts'
import { runLimited } from './sandbox.ts'
import { copyVideoStart, copyWhole, LocalFile, type Source, Unsuitable } from './sources.ts'

/** Pixels of a picture that is decoded. */
export const maxPixels = 100_000_000
/** Seconds for one program. */
export const programSeconds = 30

/** What a preview is made with. */
export interface PreviewTools {
  storage: Pick<ObjectStore, 'read' | 'readInto'>
  programs: Programs
  /** The folder for all files in between. */
  folder: string
  signal: AbortSignal
}

const input = 'input'
const picture = 'picture.jpg'

/**
 * Copies a file from the store and returns the name of the picture to shrink: the file itself, the
 * picture in a RAW file, the first frame of a video, or the first page of a PDF.
 *
 * @throws {Unsuitable}
 * @throws {ProgramFailed}
 */
export async function pictureOf(tools: PreviewTools, kind: PreviewKind, source: Source): Promise<string> {
  const { storage, programs, folder, signal } = tools
  const path = join(folder, input)
  await (kind === 'video' ? copyVideoStart : copyWhole)(storage, source, path, signal)
  if (kind === 'image') await requireImage(path)
  if (kind === 'image') return input
  if (kind === 'raw') await extractJpeg(path, join(folder, picture), signal)
  if (kind === 'video') await runLimited(programs, 'ffmpeg', frameArguments, { folder, signal, seconds: programSeconds })
  if (kind === 'document') await runLimited(programs, 'pdftoppm', pageArguments, { folder, signal, seconds: programSeconds })
  return picture
}

/** The name of a file may be wrong, so its first bytes decide whether a program may open it. */
async function requireImage(path: string): Promise<void> {
  const file = await LocalFile.open(path)
  try {
    const types = signatureOf(await file.read(0, 16))?.types ?? []
    if (!types.some((type) => type.startsWith('image/'))) throw new Unsuitable('The file is not an image of a known format')
  } finally {
    await file.close()
  }
}

// Neither playlists, which name other files, nor the network can be read.
const containers = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,ogg'
const codecs =
  'h264,hevc,av1,libdav1d,libaom-av1,vp8,vp9,libvpx,libvpx-vp9,mpeg1video,mpeg2video,mpeg4,msmpeg4v3,h263,mjpeg,theora,prores,dnxhd'
const frameArguments = [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1', '-filter_threads', '1'],
  ...['-protocol_whitelist', 'file', '-format_whitelist', containers, '-codec_whitelist', codecs, '-max_pixels', String(maxPixels)],
  ...['-i', `file:${input}`, '-map', '0:V:0', '-frames:v', '1', '-vf', 'scale=iw*sar:ih,setsar=1'],
  ...['-c:v', 'mjpeg', '-q:v', '2', '-f', 'image2', '-update', '1', `file:${picture}`],
]

const pageArguments = [
  ...['-f', '1', '-l', '1', '-singlefile', '-scale-to', String(previewPixels)],
  ...['-jpeg', '-jpegopt', 'quality=92', input, 'picture'],
]
