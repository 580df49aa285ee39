import { removeInvisible } from '../../invisible-characters.ts'
import { atOnce, type Steps } from '../../process/steps.ts'
import { utf8Length } from '../../utf8-length.ts'

const MAX_SEGMENT_BYTES = 255
/** Leaves room for a destination folder under Linux's PATH_MAX of 4,096 bytes. */
const MAX_PATH_BYTES = 3_500
/**
 * Bytes reserved for ` (n)` when a long stem is cut, so that it is cut equally for every number.
 */
const NUMBER_BYTES = 12
/** Characters of a share's name in the name of its zip. */
const ZIP_NAME_CHARACTERS = 60

/**
 * Control characters, the path separator of Windows, and characters that Windows forbids in names
 * (`:` also ends a drive letter).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\\<>:"|?*]/g
/** Windows drops dots and spaces at the end of a name, so `x.` would overwrite `x`. */
const TRAILING = /(?<![. ])[. ]+$/
/** Device names of Windows, with any extension: `NUL.tar.gz` is the null device. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/**
 * Short and without spaces: neither the text after the dot in `Dr. Who comes to town` nor
 * `.profile` is an extension.
 */
const EXTENSION = /(?<=[^.])\.[a-z0-9_-]{1,20}$/i

const ASCII = /^[ -~]*$/
/** Segments that need no change, unless they are reserved or too long: most names of files. */
const PLAIN = /^[\w !#$%&'()+,\-.;=@[\]^`{}~]*[\w!#$%&'()+,\-;=@[\]^`{}~]$/
/** Names up to this length never exceed `MAX_PATH_BYTES`. */
const SHORT_NAME = 1_000
/** Names that are read before other work gets its turn. */
const NAMES_PER_STEP = 16

interface Folder {
  folders: Map<string, Folder>
  files: Set<string>
  /** The next number to try for a name that is in use. */
  next: Map<string, number>
}

interface Place {
  folder: Folder
  path: string
  file: string
  index: number
}

/**
 * Makes names safe and unique inside an archive, and returns them in their order. Folders are kept
 * (`photos/a.jpg`). Every segment is valid on Windows, macOS and Linux, has no direction marks and
 * at most 255 bytes. A name already in use gets a number (`photo (1).jpg`). Names that differ only
 * in case or Unicode form are equal, and the name of a folder is in use too. The first of equal
 * names keeps it. Any string gives a name. The time is linear in the length of all names.
 */
export function zipNames(names: readonly string[]): string[] {
  return atOnce(zipNameSteps(names))
}

/** Makes names like `zipNames`, in steps: many long names take seconds. */
export function* zipNameSteps(names: readonly string[]): Steps<string[]> {
  const root = emptyFolder()
  const result = new Array<string>(names.length)
  const places: Place[] = []
  let last: Place | undefined
  for (const [index, name] of names.entries()) {
    last = (last && besides(last, names[index - 1] ?? '', name)) ?? placeOf(root, name, index)
    places.push(last)
    if (index % NAMES_PER_STEP === 0) yield
  }
  const duplicates: Place[] = []
  for (const place of places) {
    if (!claim(place, place.file, result)) duplicates.push(place)
    if (place.index % NAMES_PER_STEP === 0) yield
  }
  for (const place of duplicates) {
    claimNumbered(place, result)
    yield
  }
  return result
}

/** Returns the name that `zipNames` makes of a name that is not in use. */
export function zipName(name: string): string {
  return safeSegments(name).join('/')
}

/**
 * Returns the file name of a share's own zip: at most 60 characters of the share's name, valid on
 * every system. A share without a name, or with nothing valid in it, lends its link.
 */
export function zipFileName(name: string | null, id: string): string {
  const safe = removeInvisible((name ?? '').toWellFormed())
    .replaceAll('/', '_')
    .replace(UNSAFE, '_')
    .trim()
  const short = Array.from(safe).slice(0, ZIP_NAME_CHARACTERS).join('').replace(TRAILING, '')
  if (short === '') return `${id}.zip`
  return `${RESERVED.test(short) ? '_' : ''}${short}.zip`
}

/**
 * Returns the place of a plain name in the same folder as the name before it, whose place is `last`;
 * undefined for other names.
 */
function besides(last: Place, nameBefore: string, name: string): Place | undefined {
  if (name.length > SHORT_NAME || nameBefore.length > SHORT_NAME) return undefined
  const start = name.lastIndexOf('/') + 1
  const file = name.slice(start)
  if (nameBefore.slice(start) !== last.file || !nameBefore.startsWith(name.slice(0, start))) return undefined
  return isPlain(file) ? { folder: last.folder, path: last.path, file, index: last.index + 1 } : undefined
}

/** Returns whether a segment is safe as it is. */
function isPlain(segment: string): boolean {
  return segment.length <= MAX_SEGMENT_BYTES && PLAIN.test(segment) && !RESERVED.test(segment)
}

function placeOf(root: Folder, name: string, index: number): Place {
  const segments = safeSegments(name)
  const file = segments.pop() ?? '_'
  let folder = root
  for (const segment of segments) {
    const key = keyOf(segment)
    const inner = folder.folders.get(key) ?? emptyFolder()
    folder.folders.set(key, inner)
    folder = inner
  }
  return { folder, path: segments.map((segment) => `${segment}/`).join(''), file, index }
}

function emptyFolder(): Folder {
  return { folders: new Map(), files: new Set(), next: new Map() }
}

function claim({ folder, path, index }: Place, file: string, result: string[]): boolean {
  const key = keyOf(file)
  if (folder.folders.has(key) || folder.files.has(key)) return false
  folder.files.add(key)
  result[index] = path + file
  return true
}

function claimNumbered(place: Place, result: string[]): void {
  const { stem, extension } = split(place.file, MAX_SEGMENT_BYTES - NUMBER_BYTES)
  const key = keyOf(stem + extension)
  let n = place.folder.next.get(key) ?? 1
  while (!claim(place, `${stem} (${n})${extension}`, result)) n++
  place.folder.next.set(key, n + 1)
}

/**
 * Returns the safe segments of a name, at least one. If the path is too long, its outermost folders
 * are dropped.
 */
function safeSegments(name: string): string[] {
  const segments = name
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .map(safeSegment)
  if (segments.length === 0) return ['_']
  let bytes = 0
  const dropped = segments.findLastIndex((segment) => {
    bytes += utf8Length(segment) + 1
    return bytes > MAX_PATH_BYTES
  })
  return segments.slice(dropped + 1)
}

function safeSegment(segment: string): string {
  if (isPlain(segment)) return segment
  let safe = removeInvisible(segment.toWellFormed()).replace(UNSAFE, '_')
  if (RESERVED.test(safe)) safe = `_${safe}`
  if (utf8Length(safe) > MAX_SEGMENT_BYTES) {
    const { stem, extension } = split(safe, MAX_SEGMENT_BYTES)
    safe = stem + extension
  }
  return safe.replace(TRAILING, '') || '_'
}

/**
 * Splits a file name into stem and extension with its dot. Cuts the stem between characters so that
 * both have at most `limit` bytes.
 */
function split(file: string, limit: number): { stem: string; extension: string } {
  const extension = EXTENSION.exec(file)?.[0] ?? ''
  return { stem: cut(file.slice(0, file.length - extension.length), limit - utf8Length(extension)), extension }
}

function cut(text: string, bytes: number): string {
  if (utf8Length(text) <= bytes) return text
  const encoded = new TextEncoder().encode(text)
  let end = bytes
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--
  return new TextDecoder().decode(encoded.subarray(0, end))
}

/**
 * Returns a key that is equal for names that some file system considers equal: in any case, and
 * composed or decomposed Unicode.
 */
function keyOf(segment: string): string {
  const upper = segment.toUpperCase()
  return ASCII.test(upper) ? upper : segment.normalize('NFD').toUpperCase().normalize('NFC')
}
