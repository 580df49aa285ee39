import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A page's path and the files that it needs at once, in addition to the entry's. */
export interface BuiltPage {
  path: string
  scripts: string[]
  /** Styles of the page's module itself, which the shell may need. */
  styles: string[]
  /** Styles of everything else on the page. */
  laterStyles: string[]
}

export interface BuiltLanguage {
  /** BCP 47, such as `en-US`. */
  code: string
  /** The language's own name. */
  name: string
  direction: 'ltr' | 'rtl'
  description: string
  noScript: string
  /** The message in a page when a file of the application can't be loaded. */
  failed: string
  /** Headings in the shells of pages, by path. */
  headings: Record<string, string>
  /** Link previews by path. The preview of other pages names the application. */
  previews: Record<string, { title: string; text: string }>
  /** Scripts of the language. */
  scripts: string[]
  /** Hashes of all modules that only this language has. */
  integrity: Integrity
}

/** Hashes by path (Subresource Integrity), such as `sha256-…`. Empty in development. */
export type Integrity = Record<string, string>

/** The description that `web/build/build.ts` writes to site.json. */
export interface BuiltSite {
  pages: BuiltPage[]
  /** Redirects: path → target path. */
  aliases: Record<string, string>
  languages: BuiltLanguage[]
  /** Hashes of the scripts and styles that belong to no language. */
  integrity: Integrity
}

/** A page as the server renders it, for the browser to hydrate. */
export interface PrerenderedPage {
  html: string
  /** Whether the page is complete without JavaScript. */
  isComplete: boolean
}

/** Renders the share page from its start data; null when the visitor may not see the share yet. */
export type RenderSharePage = (start: object) => Promise<PrerenderedPage | null>

export interface Site extends BuiltSite {
  /** The path of the site without a trailing slash; empty at the root of a host. */
  basePath: string
  html: string
  renderSharePage: RenderSharePage
}

/**
 * The module for server-side rendering, which `web/build/server.ts` builds. It exports
 * `renderSharePage`.
 */
export const sharePageFile = 'server/share-page.mjs'

/**
 * Reads the description of the built pages, with the addresses of their files below `basePath`;
 * null when they are not built. The module that renders the share page is loaded at the first
 * request.
 */
export function readSite(folder: string, basePath: string): Site | null {
  if (!existsSync(join(folder, 'site.json'))) return null
  const renderSharePage: RenderSharePage = async (start) => {
    const module: { renderSharePage: RenderSharePage } = await import(pathToFileURL(join(folder, sharePageFile)).href)
    return module.renderSharePage(start)
  }
  const built = JSON.parse(readFileSync(join(folder, 'site.json'), 'utf8')) as BuiltSite
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  return { ...filesBelow(basePath, { ...built, html }), basePath, renderSharePage }
}

function filesBelow<T extends Pick<Site, 'pages' | 'languages' | 'html' | 'integrity'>>(basePath: string, site: T): T {
  const below = (files: string[]) => files.map((file) => basePath + file)
  const hashesBelow = (hashes: Integrity) => Object.fromEntries(Object.entries(hashes).map(([file, hash]) => [basePath + file, hash]))
  return {
    ...site,
    pages: site.pages.map(({ path, scripts, styles, laterStyles }) => ({
      path,
      scripts: below(scripts),
      styles: below(styles),
      laterStyles: below(laterStyles),
    })),
    languages: site.languages.map((language) => ({
      ...language,
      scripts: below(language.scripts),
      integrity: hashesBelow(language.integrity),
    })),
    integrity: hashesBelow(site.integrity),
    html: site.html.replace(/((?:href|src|data-main)\^?=")\//g, `$1${basePath}/`),
  }
}
