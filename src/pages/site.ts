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
  /** The headings that pages have from the start, by their paths. */
  headings: Record<string, string>
  /** What a link preview says of a page, by its path; of all others it names the application. */
  previews: Record<string, { title: string; text: string }>
  /** What a page in it loads first. */
  scripts: string[]
}

/** What `web/build/build.ts` tells of the pages that it built. */
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

/** A page as the server renders it, for the browser to hydrate. */
export interface PrerenderedPage {
  html: string
  /** Whether it shows everything, so that nothing is missing without JavaScript. */
  isComplete: boolean
}

/** Renders the share page with what it starts with; null where the visitor may not see the share yet. */
export type RenderSharePage = (start: object) => Promise<PrerenderedPage | null>

export interface Site extends BuiltSite {
  html: string
  renderSharePage: RenderSharePage
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

/** What `web/build/server.ts` builds: the module of the pages that runs on the server. It exports `renderSharePage`. */
export const sharePageFile = 'server/share-page.mjs'

/**
 * Reads the built pages into memory (about 3 MB), so that a rebuild never mixes two versions; null when they are not built. What renders the share page is
 * loaded when the first one is asked for.
 */
export function readSite(folder: string): Site | null {
  if (!existsSync(join(folder, 'site.json'))) return null
  const renderSharePage: RenderSharePage = async (start) => {
    const module: { renderSharePage: RenderSharePage } = await import(pathToFileURL(join(folder, sharePageFile)).href)
    return module.renderSharePage(start)
  }
  const built = JSON.parse(readFileSync(join(folder, 'site.json'), 'utf8')) as BuiltSite
  return { ...built, html: readFileSync(join(folder, 'index.html'), 'utf8'), renderSharePage, assets: readAssets(folder) }
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
