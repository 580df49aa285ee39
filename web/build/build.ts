import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Manifest, ManifestChunk } from 'vite'
import { commandInto } from '../../cli/build.ts'
import { buildIfChanged } from '../../dev/build-if-changed.ts'
import type { BuiltPage, BuiltSite } from '../../src/pages/site.ts'
import { antdLocaleFile } from '../lib/antd-locale-file.ts'
import { aliases, pages } from '../routes.ts'
import { addIntegrity, integrityOf } from './integrity.ts'
import { describeLanguages, type LanguageFiles, type Locale, readLocales } from './languages.ts'
import { sharePageInto } from './server.ts'
import { serviceWorkerInto } from './service-worker.ts'
import { pageSources } from './sources.ts'

/** antd falls back to English, so every page loads this file. */
const loadedAntdLocale = '../node_modules/antd/es/locale/en_US.js'
const root = dirname(dirname(import.meta.dirname))

const started = performance.now()
const isBuilt = await buildIfChanged(join(root, 'dist/web'), pageSources, build)
console.log(isBuilt ? `The pages are built (${((performance.now() - started) / 1000).toFixed(1)} s).` : 'The pages are up to date.')

async function build(folder: string): Promise<void> {
  console.log('Building the pages…')
  const { build } = await import('vite')
  await build({ configFile: join(root, 'web/build/vite.config.ts'), logLevel: 'warn', build: { outDir: folder } })
  const site = describe(folder)
  writeFileSync(join(folder, 'site.json'), JSON.stringify(site))
  addIntegrity(folder, site.integrity)
  rmSync(join(folder, '.vite'), { recursive: true })
  await build(serviceWorkerInto(folder, site, readLocales()))
  await build(sharePageInto(folder))
  await build(commandInto(folder)) // beside the pages, so that every server offers it
  await compress(folder)
}

/**
 * Describes the built site for the server: the files that each page and each language need first.
 */
function describe(folder: string): BuiltSite {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Manifest
  const application = Object.keys(manifest).find((key) => manifest[key]!.name === 'application')
  const loaded = filesOf(manifest, application!, new Set()) // by every page
  const filesNeededBy = (key: string): Omit<BuiltPage, 'path'> => {
    const [entry, ...others] = [...filesOf(manifest, key, new Set())].filter((chunk) => !loaded.has(chunk))
    if (entry?.src !== key) throw new Error(`${key} was not built as a separate file.`)
    const stylesOf = ({ css = [] }: ManifestChunk) => css.map((file) => `/${file}`)
    return {
      scripts: [entry, ...others].map(({ file }) => `/${file}`),
      styles: stylesOf(entry),
      laterStyles: others.flatMap(stylesOf),
    }
  }
  const integrity = integrityOf(folder)
  const filesOfLanguage = ({ file, code }: Locale): LanguageFiles => {
    const keys = [`../${file}`, `../${antdLocaleFile(code)}`].filter((key) => key !== loadedAntdLocale)
    const scripts = keys.flatMap((key) => filesNeededBy(key).scripts)
    const all = [...scripts, ...filesNeededBy(`../${file}?admin`).scripts]
    return { scripts, integrity: Object.fromEntries(all.map((path) => [path, integrity[path] ?? ''])) }
  }
  const languages = describeLanguages(readLocales(), filesOfLanguage)
  for (const language of languages) for (const path of Object.keys(language.integrity)) delete integrity[path]
  return {
    pages: Object.entries(pages).map(([path, { module }]) => ({ path, ...filesNeededBy(`pages/${module}.tsx`) })),
    aliases,
    languages,
    integrity,
  }
}

function filesOf(manifest: Manifest, key: string, found: Set<ManifestChunk>): Set<ManifestChunk> {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`${key} is not part of the built pages; see web/routes.ts and web/build/vite.config.ts.`)
  if (found.has(chunk)) return found
  found.add(chunk)
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, found)
  return found
}

/** Writes a `.br` and a `.gz` file beside every text file. */
async function compress(folder: string): Promise<void> {
  const files = globSync('**/*.{js,css,svg,webmanifest}', { cwd: folder })
  await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file)
      const bytes = await readFile(path)
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
        promisify(gzip)(bytes, { level: 9 }),
      ])
      await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
    }),
  )
}
