import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A page's path, and the files beyond the entry's that it needs at once. */
export interface BuiltPage {
  path: string
  scripts: string[]
  /** Of the page's module itself, which its frame may need. */
  styles: string[]
  /** Of all else that it shows. */
  laterStyles: string[]
}

export interface BuiltLanguage {
  /** BCP 47, such as `en-US`. */
  code: string
  /** In the language itself. */
  name: string
  direction: 'ltr' | 'rtl'
  description: string
  noScript: string
  /** The line at the foot of every page. */
  footer: string
  /** What stands in a page where a file of the application does not come. */
  failed: string
  /** The texts of what is seen before the application has come. */
  texts: Record<string, string>
  /** What a link preview says of a page, by its path; of all others it names the application. */
  previews: Record<string, { title: string; text: string }>
  /** What a page in it loads first. */
  scripts: string[]
}

/** What `web/build.ts` tells of the pages that it built. */
export interface BuiltSite {
  pages: BuiltPage[]
  /** Address → the path that it stands for. */
  aliases: Record<string, string>
  languages: BuiltLanguage[]
}

export interface Asset {
  type: string
  etag: string
  bytes: Buffer
  br: Buffer | null
  gzip: Buffer | null
}

/** What is seen of a page before the application has come. */
export interface FirstSight {
  html: string
  /** Whether it can be used while the application is on its way; else it only waits. */
  usable: boolean
  /** Whether it is all there is, so that nothing is missed without JavaScript. */
  whole: boolean
}

/** Draws a page from what it starts with; null where nothing can be told of it yet. */
export type DrawPage = (start: object, language: BuiltLanguage) => FirstSight | null

export interface Site extends BuiltSite {
  html: string
  drawPage: DrawPage
  /** By URL path. */
  assets: Map<string, Asset>
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

/** The module of the built pages that runs on the server; it exports `drawPage`. */
export const firstSightFile = 'first-sight.mjs'

/** Reads the built pages into memory (about 3 MB), so that a rebuild never mixes two versions; null when they are not built. */
export async function readSite(folder: string): Promise<Site | null> {
  if (!existsSync(join(folder, 'site.json'))) return null
  const { drawPage } = (await import(pathToFileURL(join(folder, firstSightFile)).href)) as { drawPage: DrawPage }
  const built = JSON.parse(readFileSync(join(folder, 'site.json'), 'utf8')) as BuiltSite
  return { ...built, html: readFileSync(join(folder, 'index.html'), 'utf8'), drawPage, assets: readAssets(folder) }
}

function readAssets(folder: string): Map<string, Asset> {
  const read = (file: string) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file)) : null)
  const files = globSync('**/*', { cwd: folder }).filter((file) => extname(file) in types)
  return new Map(
    files.map((file) => {
      const bytes = readFileSync(join(folder, file))
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`
      return [`/${file}`, { type: types[extname(file)]!, etag, bytes, br: read(`${file}.br`), gzip: read(`${file}.gz`) }]
    }),
  )
}
