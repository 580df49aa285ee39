import { escapeHtml } from '../html.ts'
import type { BuiltLanguage, BuiltPage, PrerenderedPage, Site } from './site.ts'

export type ColorScheme = 'light' | 'dark' | 'system'

/** What the frame of every page knows, beside what the application adds. */
export interface PagePreferences {
  /** Which page this is, by its path in web/routes.ts; null for one that there is not. */
  page: string | null
  language: string
  languages: { code: string; name: string }[]
  direction: 'ltr' | 'rtl'
  colorScheme: ColorScheme
}

/** Addresses of the installation's own icons by their size in pixels. */
export interface Icons {
  32: string
  180: string
  192: string
  512: string
}

interface PageParts {
  nonce: string
  appName: string
  /** Where this installation is reached; without a slash at the end. */
  baseUrl: string
  language: BuiltLanguage
  colorScheme: ColorScheme
  /** null: the product's. */
  icons: Icons | null
  /** null on the page of an unknown path. */
  page: BuiltPage | null
  /** null: the application shows it. */
  prerendered: PrerenderedPage | null
  /** Serialised into the page for the application to read. */
  start: object
}

/** Fills the built index.html in for one request. Of what a page shows, its preview in a link tells nothing but what kind of page it is. */
export function pageHtml(site: Site, parts: PageParts): string {
  const { nonce, appName, language, colorScheme, page, prerendered } = parts
  const preview = language.previews[page?.path ?? ''] ?? { title: appName, text: language.description }
  const filled: Record<string, string> = {
    nonce,
    title: escapeHtml(appName),
    description: escapeHtml(language.description),
    previewTitle: escapeHtml(preview.title),
    previewText: escapeHtml(preview.text),
    failed: escapeHtml(language.failed),
    frame: prerendered?.html ?? frameOf(parts),
    noscript: prerendered?.isComplete ? '' : `<noscript><p>${escapeHtml(language.noScript)}</p></noscript>`,
    links: iconLinks(parts) + manifestLink + previewImage(parts),
    preload: preloads(parts),
    start: `<script type="application/json" id="start">${escapeJson(parts.start)}</script>`,
  }
  const html = site.html
    .replace(/<html[^>]*>/, `<html lang="${language.code}" dir="${language.direction}" data-theme="${colorScheme}">`)
    .replace(/<link rel="icon"[^>]*>/, '__links__')
    .replace('</head>', '__preload__</head>') // after the styles of the frame, which those of a page refine
  return html.replace(/__(\w+?)__/g, (placeholder, name: string) => filled[name] ?? placeholder)
}

const link = (icon: string, href: string) => `<link ${icon} href="${escapeHtml(href)}">`
const png = (size: 32 | 192) => `rel="icon" type="image/png" sizes="${size}x${size}"`
const svg = link('rel="icon" type="image/svg+xml"', '/favicon.svg')
const productIcons = svg + link(png(32), '/icons/32.png') + link('rel="apple-touch-icon"', '/icons/apple-touch-180.png')
/** With the cookies: they say the language, and a proxy in front may want them. */
const manifestLink = link('rel="manifest" crossorigin="use-credentials"', '/manifest.webmanifest')

function iconLinks({ icons }: PageParts): string {
  if (!icons) return productIcons
  return link(png(32), icons[32]) + link(png(192), icons[192]) + link('rel="apple-touch-icon"', icons[180])
}

const lines =
  '<div class="skeleton"><div class="skeleton-line skeleton-title"></div><div class="skeleton-line"></div><div class="skeleton-block"></div></div>'

function cardWith(heading: string): string {
  return `<section class="auth perch card"><h1>${escapeHtml(heading)}</h1><div class="skeleton"><div class="skeleton-block"></div></div></section>`
}

/** What is seen until the application shows itself in its place: its header and footer (the configuration has neither), and where its page will be. */
function frameOf({ appName, icons, language, page }: PageParts): string {
  const brand = `<span class="brand"><img src="${escapeHtml(icons?.[192] ?? '/favicon.svg')}" alt="" width="34" height="34"><span>${escapeHtml(appName)}</span></span>`
  const header = `<header class="header"><div class="header-bar">${brand}</div></header>`
  const heading = language.headings[page?.path ?? '']
  const main = `<main class="content" aria-busy="true">${heading ? cardWith(heading) : lines}</main>`
  return page?.path === '/admin/config/:category' ? main : `${header}${main}<footer class="footer">${escapeHtml(language.footer)}</footer>`
}

/** An address of a preview's image is absolute (The Open Graph protocol); an own logo takes the place of our picture. */
function previewImage({ icons, baseUrl }: PageParts): string {
  const [path, width, height, card] = icons ? [icons[512], 512, 512, 'summary'] : ['/preview.png', 1200, 630, 'summary_large_image']
  const meta = (name: string, content: string | number) => `<meta property="${name}" content="${escapeHtml(String(content))}">`
  const image = meta('og:image', baseUrl + path) + meta('og:image:type', 'image/png')
  return `${image}${meta('og:image:width', width)}${meta('og:image:height', height)}<meta name="twitter:card" content="${card}">`
}

function preloads({ page, language, nonce }: PageParts): string {
  const scripts = [...language.scripts, ...(page?.scripts ?? [])].map(
    (href) => `<link rel="modulepreload" fetchpriority="low" href="${href}" nonce="${nonce}">`,
  )
  const styles = (page?.styles ?? []).map((href) => `<link rel="stylesheet" href="${href}" nonce="${nonce}">`)
  const later = (page?.laterStyles ?? []).map(
    (href) => `<link rel="preload" as="style" fetchpriority="low" href="${href}" nonce="${nonce}">`,
  )
  return [...styles, ...later, ...scripts].join('')
}

/** JSON that cannot end its script element (HTML, 13.2.5.4) and is JavaScript too. */
function escapeJson(value: object): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
