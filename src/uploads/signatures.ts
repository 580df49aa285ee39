/** The media types of content that begins with a known signature. */
export interface Signature {
  types: readonly string[]
  /** Whether all content of these types begins with it. */
  isMandatory?: true
  matches(head: Buffer): boolean
}

const starts =
  (...signatures: string[]) =>
  (head: Buffer) =>
    signatures.some((signature) => head.toString('latin1', 0, signature.length) === signature)

/** Bytes 5 to 12 of ISO base media files state their type. */
const brand = (head: Buffer) => (head.toString('latin1', 4, 8) === 'ftyp' ? head.toString('latin1', 8, 12) : null)
const imageBrand = /^(heic|heix|heim|heis|hevc|hevx|mif1|msf1|avif|avis)$/

const zipBased = [
  'application/zip',
  'application/epub+zip',
  'application/java-archive',
  'application/vnd.android.package-archive',
  'application/vnd.oasis.opendocument.presentation',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
]
const programs = ['application/x-msdownload', 'application/x-executable', 'application/x-sharedlib', 'application/octet-stream']
const oldOffice = [
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/x-msi',
  'application/vnd.ms-outlook',
]
const isoMedia = ['video/mp4', 'video/quicktime', 'video/3gpp', 'video/x-m4v', 'audio/mp4']

/** The known signatures; the first match counts. */
const signatures: readonly Signature[] = [
  { types: ['application/pdf'], isMandatory: true, matches: (head) => head.toString('latin1', 0, 1024).includes('%PDF-') },
  { types: ['image/png', 'image/apng'], isMandatory: true, matches: starts('\x89PNG\r\n\x1a\n') },
  { types: ['image/jpeg'], isMandatory: true, matches: starts('\xff\xd8\xff') },
  { types: ['image/gif'], isMandatory: true, matches: starts('GIF87a', 'GIF89a') },
  { types: ['image/webp'], isMandatory: true, matches: (head) => starts('RIFF')(head) && head.toString('latin1', 8, 12) === 'WEBP' },
  { types: ['image/tiff'], matches: starts('II*\0', 'MM\0*') },
  { types: ['image/heic', 'image/heif', 'image/avif'], matches: (head) => imageBrand.test(brand(head) ?? '') },
  { types: isoMedia, matches: (head) => brand(head) !== null },
  { types: ['video/webm', 'video/x-matroska', 'audio/webm', 'audio/x-matroska'], matches: starts('\x1aE\xdf\xa3') },
  { types: zipBased, isMandatory: true, matches: starts('PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08') },
  { types: oldOffice, matches: starts('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1') },
  { types: ['application/x-7z-compressed'], matches: starts("7z\xbc\xaf'\x1c") },
  { types: ['application/vnd.rar'], matches: starts('Rar!\x1a\x07') },
  { types: ['application/gzip'], matches: starts('\x1f\x8b') },
  { types: programs, matches: starts('MZ', '\x7fELF', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe') },
]

/** Returns the signature that content begins with; undefined if it is not a known one. */
export function signatureOf(head: Buffer): Signature | undefined {
  return signatures.find(({ matches }) => matches(head))
}

/** Returns whether all content of a media type begins with a known signature. */
export function hasSignature(type: string): boolean {
  return signatures.some(({ types, isMandatory }) => isMandatory && types.includes(type))
}

/** Returns whether content begins like an HTML page, an SVG image or a script. */
export function isMarkup(head: Buffer): boolean {
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .toLowerCase()
  return /^(<!doctype html|<html|<head|<body|<script|<iframe|<svg|#!)/.test(text) || /^<(\?xml|!--).*<(svg|html)[\s>]/s.test(text)
}
