/**
 * The files that the built pages depend on, as glob patterns from the project's root. From `src/`
 * they are those of which the pages, the uploader or the command line import more than types.
 */
export const pageSources = [
  'web/**/*',
  'uploader/**/*',
  'cli/*.ts',
  'locales/*.json',
  'package.json',
  'package-lock.json',
  'src/**/limits.ts',
  'src/byte-sizes.ts',
  'src/devices.ts',
  'src/invisible-characters.ts',
  'src/share-titles.ts',
  'src/downloads/bytes/content-types.ts',
  'src/downloads/bytes/disposition.ts',
  'src/downloads/bytes/headers.ts',
  'src/downloads/bytes/ranges.ts',
  'src/downloads/zip/{fields,layout,names,records}.ts',
  'src/process/steps.ts',
  'src/storage/streams/crc32.ts',
  'src/uploads/parts/part-size.ts',
  'src/utf8-length.ts',
]
