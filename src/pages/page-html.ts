import { escapeHtml } from '../html.ts'
import { importMap, integrityAttribute } from './integrity.ts'
import { type Palettes, paletteCss } from './palette.ts'
import type { BuiltLanguage, BuiltPage, PrerenderedPage, Site } from './site.ts'

export type ColorScheme = 'light' | 'dark' | 'system'
export type FileView = 'list' | 'grid'

/** The preferences in the start data of every page. */
export interface PagePreferences {
  /** The page's path in web/routes.ts; null for an unknown path. */
  page: string | null
  /** The path of the site without a trailing slash; empty at the root of a host. */
  basePath: string
  language: string
  languages: { code: string; name: string }[]
  direction: 'ltr' | 'rtl'
  colorScheme: ColorScheme
  /** How files are shown; null: chosen by their kinds. */
  fileView: FileView | null
}

/** Paths of the installation's own icons by size in pixels. */
export interface Icons {
  32: string
  180: string
  192: string
  512: string
}

interface PageParts {
  nonce: string
  appName: string
  /** The URL of this installation without a trailing slash. */
  baseUrl: string
  language: BuiltLanguage
  colorScheme: ColorScheme
  /** null: the product's icons. */
  icons: Icons | null
  /** null: the product's colors. */
  palettes: Palettes | null
  /** Whether pages show the product's bird. */
  showBird: boolean
  /** null for an unknown path. */
  page: BuiltPage | null
  /** null: the browser renders the page. */
  prerendered: PrerenderedPage | null
  /** Data for the application, serialized as JSON. */
  start: object
}

/**
 * Fills index.html for one request. A link preview shows only the kind of page, never its content.
 */
export function pageHtml(site: Site, parts: PageParts): string {
  const { nonce, appName, language, colorScheme, showBird, page, prerendered } = parts
  const preview = language.previews[page?.path ?? ''] ?? { title: appName, text: language.description }
  const filled: Record<string, string> = {
    nonce,
    title: escapeHtml(appName),
    description: escapeHtml(language.description),
    previewTitle: escapeHtml(preview.title),
    previewText: escapeHtml(preview.text),
    failed: escapeHtml(language.failed),
    frame: prerendered?.html ?? frameOf(site, parts),
    noscript: prerendered?.isComplete ? '' : `<noscript><p>${escapeHtml(language.noScript)}</p></noscript>`,
    links: iconLinks(site, parts) + previewImage(parts),
    imports: importsOf(site, language),
    modules: modulePreloads(site, parts),
    styles: stylesOf(site, parts) + accentStyle(parts),
    start: `<script type="application/json" id="start">${escapeJson(parts.start)}</script>`,
  }
  const html = site.html
    .replace(
      /<html[^>]*>/,
      `<html lang="${language.code}" dir="${language.direction}" data-theme="${colorScheme}"${showBird ? '' : ' data-bird="off"'}>`,
    )
    .replace(/<link rel="icon"[^>]*>/, '__links__')
    .replace('</head>', '__styles__</head>') // after the shell's styles, which a page's styles refine
  return html.replace(/__(\w+?)__/g, (placeholder, name: string) => filled[name] ?? placeholder)
}

const link = (icon: string, href: string) => `<link ${icon} href="${escapeHtml(href)}">`
const png = (size: 32 | 192) => `rel="icon" type="image/png" sizes="${size}x${size}"`
const productIcons: [string, string][] = [
  ['rel="icon" type="image/svg+xml"', '/favicon.svg'],
  [png(32), '/icons/32.png'],
  ['rel="apple-touch-icon"', '/icons/apple-touch-180.png'],
]

function iconLinks({ basePath }: Site, { icons }: PageParts): string {
  const links: [string, string][] = [
    ...(icons
      ? ([
          [png(32), icons[32]],
          [png(192), icons[192]],
          ['rel="apple-touch-icon"', icons[180]],
        ] as [string, string][])
      : productIcons),
    // With credentials, because cookies select the language and a proxy may require them.
    ['rel="manifest" crossorigin="use-credentials"', '/manifest.webmanifest'],
  ]
  return links.map(([kind, path]) => link(kind, basePath + path)).join('')
}

/**
 * Returns the colors derived from the accent color. They come after the styles that they override.
 */
function accentStyle({ nonce, palettes }: PageParts): string {
  return palettes ? `<style nonce="${nonce}">${paletteCss(palettes)}</style>` : ''
}

const lines =
  '<div class="skeleton"><div class="skeleton-line skeleton-title"></div><div class="skeleton-line"></div><div class="skeleton-block"></div></div>'

function cardWith(heading: string): string {
  return `<section class="auth perch card"><h1>${escapeHtml(heading)}</h1><div class="skeleton"><div class="skeleton-block"></div></div></section>`
}

/**
 * Returns the shell that is visible until the application renders: header and page skeleton.
 */
function frameOf({ basePath }: Site, { appName, icons, language, page }: PageParts): string {
  const brand = `<span class="brand"><img src="${escapeHtml(basePath + (icons?.[192] ?? '/favicon.svg'))}" alt="" width="34" height="34"><span>${escapeHtml(appName)}</span></span>`
  const header = `<header class="header"><div class="header-bar">${brand}</div></header>`
  const heading = language.headings[page?.path ?? '']
  const main = `<main class="content" aria-busy="true">${heading ? cardWith(heading) : lines}</main>`
  return header + main
}

/**
 * Returns the preview image with an absolute URL (The Open Graph protocol). An own logo replaces
 * the default.
 */
function previewImage({ icons, baseUrl }: PageParts): string {
  const [path, width, height, card] = icons ? [icons[512], 512, 512, 'summary'] : ['/preview.png', 1200, 630, 'summary_large_image']
  const meta = (name: string, content: string | number) => `<meta property="${name}" content="${escapeHtml(String(content))}">`
  const image = meta('og:image', baseUrl + path) + meta('og:image:type', 'image/png')
  return `${image}${meta('og:image:width', width)}${meta('og:image:height', height)}<meta name="twitter:card" content="${card}">`
}

function stylesOf(site: Site, parts: PageParts): string {
  const { styles = [], laterStyles = [] } = parts.page ?? {}
  const later = laterStyles.map((path) => fileLink(site, parts, path, 'rel="preload" as="style" fetchpriority="low"'))
  return [...styles.map((path) => fileLink(site, parts, path, 'rel="stylesheet"')), ...later].join('')
}

function modulePreloads(site: Site, parts: PageParts): string {
  const scripts = [...parts.language.scripts, ...(parts.page?.scripts ?? [])]
  return scripts.map((path) => fileLink(site, parts, path, 'rel="modulepreload" fetchpriority="low"')).join('')
}

function fileLink(site: Site, { language, nonce }: PageParts, path: string, kind: string): string {
  return `<link ${kind} href="${path}"${integrityAttribute(site, language, path)} nonce="${nonce}">`
}

/** The import maps as texts, because each has 13 kB. */
const importMaps = new WeakMap<BuiltLanguage, string>()

function importsOf(site: Site, language: BuiltLanguage): string {
  const imports = importMaps.get(language) ?? escapeJson(importMap(site, language))
  importMaps.set(language, imports)
  return imports
}

/** Returns JSON that can't close its script element (HTML, 13.2.5.4) and is valid JavaScript. */
function escapeJson(value: object): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
