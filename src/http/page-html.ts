import type { BuiltLanguage, BuiltPage, Site } from './site.ts'

export type ColorScheme = 'light' | 'dark' | 'system'

/** What the frame of every page knows, beside what the application adds. */
export interface PagePreferences {
  language: string
  languages: { code: string; name: string }[]
  direction: 'ltr' | 'rtl'
  colorScheme: ColorScheme
}

export interface PageParts {
  nonce: string
  appName: string
  language: BuiltLanguage
  colorScheme: ColorScheme
  /** Addresses of the installation's own icons by their size in pixels; null: the product's. */
  icons: { 32: string; 180: string; 192: string } | null
  /** null on the page of an unknown path. */
  page: BuiltPage | null
  /** Serialised into the page for the application to read. */
  start: object
}

/** Fills the built index.html in for one request. Nothing of what a page shows is in it: link previews see the application only. */
export function pageHtml(site: Site, parts: PageParts): string {
  const { nonce, appName, language, colorScheme } = parts
  const filled: Record<string, string> = {
    nonce,
    title: escapeHtml(appName),
    description: escapeHtml(language.description),
    noscript: escapeHtml(language.noScript),
    preload: preloads(parts),
    start: `<script type="application/json" id="start">${escapeJson(parts.start)}</script>`,
  }
  const html = site.html
    .replace(/<html[^>]*>/, `<html lang="${language.code}" dir="${language.direction}" data-theme="${colorScheme}">`)
    .replace(/<link rel="icon"[^>]*>/, (usual) => iconLinks(parts) ?? usual)
    .replace('</head>', '__preload__</head>') // after the styles of the frame, which those of a page refine
  return html.replace(/__(\w+?)__/g, (placeholder, name: string) => filled[name] ?? placeholder)
}

function iconLinks({ icons }: PageParts): string | null {
  if (!icons) return null
  const png = (size: 32 | 192) => `<link rel="icon" type="image/png" sizes="${size}x${size}" href="${escapeHtml(icons[size])}">`
  return `${png(32)}${png(192)}<link rel="apple-touch-icon" href="${escapeHtml(icons[180])}">`
}

function preloads({ page, language, nonce }: PageParts): string {
  const scripts = [...language.scripts, ...(page?.scripts ?? [])].map(
    (href) => `<link rel="modulepreload" href="${href}" nonce="${nonce}">`,
  )
  const styles = (page?.styles ?? []).map((href) => `<link rel="stylesheet" href="${href}" nonce="${nonce}">`)
  return [...styles, ...scripts].join('')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

/** JSON that cannot end its script element (HTML, 13.2.5.4) and is JavaScript too. */
function escapeJson(value: object): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
