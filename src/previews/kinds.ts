import type { FilePreview } from '../shares/contract.ts'

/** What a preview is made of, which decides the programs that make it. */
export type PreviewKind = FilePreview['kind']

/** The extensions of files that can have a preview. SVG is not among them: browsers show it. */
const extensions: Record<PreviewKind, readonly string[]> = {
  image: ['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'apng', 'webp', 'avif', 'gif', 'tif', 'tiff', 'heic', 'heif', 'hif'],
  raw: ['cr2', 'cr3', 'crw', 'nef', 'nrw', 'arw', 'srf', 'sr2', 'dng', 'raf', 'rw2', 'orf', 'pef', 'srw', 'raw', '3fr', 'iiq'],
  video: ['mp4', 'm4v', 'mov', '3gp', 'mkv', 'webm', 'avi', 'mpg', 'mpeg', 'mts', 'm2ts', 'ogv'],
  document: ['pdf'],
}

/** All extensions with their kinds, in the same order. */
export const previewTypes = {
  extensions: Object.values(extensions).flat(),
  kinds: (Object.keys(extensions) as PreviewKind[]).flatMap((kind) => extensions[kind].map(() => kind)),
}
