import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Manifest, ManifestChunk } from 'vite'
import { commandInto } from '../../cli/build.ts'
import type { BuiltPage, BuiltSite } from '../../src/pages/site.ts'
import { antdLocaleFile } from '../lib/antd-locale-file.ts'
import { aliases, pages } from '../routes.ts'
import { describeLanguages, type Locale, readLocales } from './languages.ts'
import { sharePageInto } from './server.ts'
import { serviceWorkerInto } from './service-worker.ts'

/** antd falls back to English, so every page loads this file. */
const loadedAntdLocale = '../node_modules/antd/es/locale/en_US.js'
const root = dirname(dirname(import.meta.dirname))
const target = join(root, 'dist/web')
const hashFile = join(target, 'sources.sha256')
const sources = [
  'web/**/*',
  'uploader/**/*',
  'locales/*.json',
  'package.json',
  'package-lock.json',
  'src/*/limits.ts', // the pages import only types from the other files
  'cli/*.ts',
  'src/downloads/zip/names.ts', // the command line imports it
]

const started = performance.now()
const hash = hashOfSources()
if (isUpToDate()) {
  console.log('The pages are up to date.')
} else {
  console.log('Building the pages…')
  await build()
  console.log(`The pages are built (${((performance.now() - started) / 1000).toFixed(1)} s).`)
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  const files = globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.sort())
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

/**
 * Builds beside the served folder and swaps the folders at the end, so that a failed or parallel
 * build never leaves half a site.
 */
async function build(): Promise<void> {
  const fresh = `${target}.${process.pid}`
  try {
    const { build } = await import('vite')
    await build({ configFile: join(root, 'web/build/vite.config.ts'), logLevel: 'warn', build: { outDir: fresh } })
    const site = describe(fresh)
    writeFileSync(join(fresh, 'site.json'), JSON.stringify(site))
    rmSync(join(fresh, '.vite'), { recursive: true })
    await build(serviceWorkerInto(fresh, site, readLocales()))
    await build(sharePageInto(fresh))
    await build(commandInto(fresh)) // beside the pages, so that every server offers it
    await compress(fresh)
    writeFileSync(join(fresh, basename(hashFile)), hash)
    swap(fresh)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function swap(fresh: string): void {
  const old = `${fresh}.old`
  if (existsSync(target)) renameSync(target, old)
  try {
    renameSync(fresh, target)
  } catch (error) {
    if (!isUpToDate()) throw error // otherwise a parallel build of the same sources was faster
  }
  rmSync(old, { recursive: true, force: true })
}

function isUpToDate(): boolean {
  return existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash
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
  const scriptsOf = ({ file, code }: Locale) =>
    [`../${file}`, `../${antdLocaleFile(code)}`].filter((key) => key !== loadedAntdLocale).flatMap((key) => filesNeededBy(key).scripts)
  return {
    pages: Object.entries(pages).map(([path, { module }]) => ({ path, ...filesNeededBy(`pages/${module}.tsx`) })),
    aliases,
    languages: describeLanguages(readLocales(), scriptsOf),
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
