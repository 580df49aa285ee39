const octets = 'application/octet-stream'
const text = 'text/plain; charset=utf-8'

// Types that browsers show without running anything. Must not contain HTML, XML, SVG or scripts.
const shown: Record<string, string> = {
  apng: 'image/apng',
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  ico: 'image/x-icon',
  jfif: 'image/jpeg',
  jpe: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  jxl: 'image/jxl',
  png: 'image/png',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  webp: 'image/webp',
  aac: 'audio/aac',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mid: 'audio/midi',
  midi: 'audio/midi',
  mp3: 'audio/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  weba: 'audio/webm',
  '3gp': 'video/3gpp',
  avi: 'video/x-msvideo',
  m4v: 'video/mp4',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  ogv: 'video/ogg',
  webm: 'video/webm',
  pdf: 'application/pdf',
}
for (const extension of [
  'txt',
  'text',
  'log',
  'md',
  'markdown',
  'csv',
  'tsv',
  'json',
  'yaml',
  'yml',
  'toml',
  'ini',
  'conf',
  'srt',
  'vtt',
  'diff',
  'patch',
]) {
  shown[extension] = text
}

// Types that are only saved. They are named so that a phone offers the right application, and so
// that an <img> shows an SVG.
const saved: Record<string, string> = {
  '7z': 'application/x-7z-compressed',
  apk: 'application/vnd.android.package-archive',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  epub: 'application/epub+zip',
  gz: 'application/gzip',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rar: 'application/vnd.rar',
  svg: 'image/svg+xml', // an <img> runs none of its scripts
  tar: 'application/x-tar',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
}

/**
 * Returns the media type that a file is sent with, and whether a browser may show it, which
 * excludes anything that could run a script. Only the name's extension counts, not the type that
 * the uploader stated.
 */
export function contentTypeOf(name: string): { type: string; showable: boolean } {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const type = Object.hasOwn(shown, extension) ? shown[extension] : undefined
  if (type) return { type, showable: true }
  return { type: (Object.hasOwn(saved, extension) && saved[extension]) || octets, showable: false }
}
