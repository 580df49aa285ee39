import type { IconName } from '../components/icon-paths.ts'

type FileKind = 'image' | 'video' | 'audio' | 'pdf' | 'text' | 'archive' | 'file'

const extensions: Record<Exclude<FileKind, 'file'>, string> = {
  image: 'apng arw avif bmp cr2 cr3 dng gif heic heif ico jfif jpeg jpg jxl nef orf png raf rw2 svg tif tiff webp',
  video: '3gp avi m4v mkv mov mp4 mpeg mpg ogv webm',
  audio: 'aac flac m4a mp3 oga ogg opus wav weba',
  pdf: 'pdf',
  text: 'c cc cfg conf cpp cs css csv diff env go h html ini java js json jsx kt lock log lua markdown md patch php pl properties py r rb rs sh sql srt tex toml ts tsv tsx txt vtt xml yaml yml',
  archive: '7z bz2 dmg gz iso rar tar tgz xz zip zst',
}
const kinds = new Map(
  Object.entries(extensions).flatMap(([kind, list]) => list.split(' ').map((extension) => [extension, kind as FileKind])),
)

/** Every kind of file. Each has an icon of the same name. */
export const fileKinds: readonly FileKind[] = [...(Object.keys(extensions) as FileKind[]), 'file']

/** Returns the extension of a name in lower case, without its dot. */
export function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

/** Returns the kind of a file by the extension of its name. */
export function kindOf(name: string): FileKind {
  return kinds.get(extensionOf(name)) ?? 'file'
}

/** Returns whether a browser may be able to show the file. */
export function isPreviewable(name: string): boolean {
  const kind = kindOf(name)
  return kind !== 'archive' && kind !== 'file'
}

/** Returns the icon for a file. */
export function iconOf(name: string): IconName {
  return kindOf(name)
}

/** Extensions of pictures that every browser shows. */
const shownImages = new Set('apng avif bmp gif ico jfif jpeg jpg png svg webp'.split(' '))

/** Returns whether every browser shows the picture itself. */
export function isShownByBrowsers(name: string): boolean {
  return shownImages.has(extensionOf(name))
}
