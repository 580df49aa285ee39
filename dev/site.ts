import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuiltSite, sharePageFile } from '../src/pages/site.ts'
import { describeLanguages, readLocales } from '../web/build/languages.ts'
import { aliases, pages } from '../web/routes.ts'

/**
 * Writes a description of the unbuilt pages to a folder, in the form of the built ones, and returns
 * the folder. The pages' modules come from Vite at `origin`, which also renders the share page.
 */
export function describeSite(folder: string, origin: string): string {
  mkdirSync(join(folder, 'server'), { recursive: true })
  const site: BuiltSite = {
    pages: Object.keys(pages).map((path) => ({ path, scripts: [], styles: [], laterStyles: [] })),
    aliases,
    languages: describeLanguages(readLocales(), () => ({ scripts: [], integrity: {} })),
    integrity: {},
  }
  writeFileSync(join(folder, 'site.json'), JSON.stringify(site))
  writeFileSync(join(folder, 'index.html'), developmentHtml())
  writeFileSync(join(folder, sharePageFile), shareRenderer(`${origin}/@render`))
  return folder
}

/** The module script starts the application, after the one that Vite adds before it. */
function developmentHtml(): string {
  const html = readFileSync(join(import.meta.dirname, '../web/index.html'), 'utf8')
  return html.replace('./main.ts', '/main.ts').replace('data-main', 'data-main="/@vite/client"')
}

function shareRenderer(url: string): string {
  return `export async function renderSharePage(start) {
  const response = await fetch(${JSON.stringify(url)}, { method: 'POST', body: JSON.stringify(start) })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}
`
}
