import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import t from 'tap'
import { pageSources } from '../../web/build/sources.ts'

/** The domains in the order of ARCHITECTURE.md: each may import only those to its right. */
const domains = [
  'pages',
  'import',
  'export',
  'system',
  'oauth',
  'auth',
  'users',
  'reverse-shares',
  'uploads',
  'previews',
  'downloads',
  'shares',
  'activity',
  'config',
  'mail',
]
const infrastructure = ['http', 'db', 'storage', 'queue', 'crypto', 'metrics']
const root = resolve(import.meta.dirname, '../..')

interface Import {
  from: string
  to: string
  typeOnly: boolean
}

function importsOf(folder: string): Import[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).flatMap((from) => {
    const text = readFileSync(`${root}/${from}`, 'utf8')
    return [...text.matchAll(/^(?:import|export)\s(type\s)?[^'"]*?from\s+'(\.[^']+)'/gms)].map(([, type, path]) => ({
      from,
      to: relative(root, resolve(root, dirname(from), path!)),
      typeOnly: Boolean(type),
    }))
  })
}

/** Returns the folder below `src/` that holds a file; an empty text for files elsewhere. */
const folderOf = (path: string) => (path.startsWith('src/') && path.split('/').length > 2 ? path.split('/')[1]! : '')
const describe = ({ from, to, typeOnly }: Import) => `${from} imports ${typeOnly ? 'types of ' : ''}${to}`
const server = importsOf('src')
const violations = (imports: Import[], isAllowed: (found: Import) => boolean) => imports.filter((found) => !isAllowed(found)).map(describe)

t.test('the import lines are found in every folder', async (t) => {
  t.ok(server.length > 500)
  t.same(
    ['worker', 'web', 'cli', 'uploader'].filter((folder) => importsOf(folder).length === 0),
    [],
  )
})

t.test('domains import only to the right', async (t) => {
  const isAllowed = ({ from, to }: Import) => {
    const [importer, imported] = [domains.indexOf(folderOf(from)), domains.indexOf(folderOf(to))]
    return importer < 0 || imported < 0 || imported >= importer
  }
  t.same(violations(server, isAllowed), [])
})

t.test('infrastructure imports no domain', async (t) => {
  const isAllowed = ({ from, to }: Import) => !infrastructure.includes(folderOf(from)) || !domains.includes(folderOf(to))
  t.same(violations(server, isAllowed), [])
})

t.test('the server imports neither the worker, except to start it, nor the pages', async (t) => {
  const startsWorker = ({ from, to }: Import) => from === 'src/process/serve.ts' && to === 'worker/start.ts'
  t.same(
    violations(server, (found) => startsWorker(found) || !/^(worker|web|test|bench|fuzz|dev|cli)\//.test(found.to)),
    [],
  )
})

t.test('routes are imported only by the app and the routes of the same domain', async (t) => {
  const isAllowed = ({ from, to }: Import) =>
    !/\broutes\.ts$/.test(to) || from === 'src/app.ts' || (/\broutes\.ts$/.test(from) && folderOf(from) === folderOf(to))
  t.same(violations(server, isAllowed), [])
})

t.test('queries import neither services nor routes', async (t) => {
  t.same(
    violations(server, ({ from, to }) => !/\bqueries\.ts$/.test(from) || !/(service|routes)\.ts$/.test(to)),
    [],
  )
})

t.test('the worker imports only from src and itself', async (t) => {
  t.same(
    violations(importsOf('worker'), ({ to }) => /^(src|worker)\//.test(to)),
    [],
  )
})

t.test('the pages import only types, limits, the display of names and sizes, and headers and zips from the server', async (t) => {
  const display = ['src/byte-sizes.ts', 'src/devices.ts', 'src/invisible-characters.ts', 'src/share-titles.ts']
  const decrypted = ['bytes/headers', 'bytes/ranges', 'zip/layout', 'zip/names'].map((file) => `src/downloads/${file}.ts`)
  const isAllowed = ({ from, to, typeOnly }: Import) =>
    !to.startsWith('src/') ||
    typeOnly ||
    to.endsWith('/limits.ts') ||
    display.includes(to) ||
    (from.startsWith('web/decryption/') && decrypted.includes(to))
  t.same(violations(importsOf('web'), isAllowed), [])
})

t.test('the command imports only the uploader, types, limits and two small rules from the server', async (t) => {
  const rules = ['src/downloads/zip/names.ts', 'src/uploads/parts/part-size.ts']
  const isAllowed = ({ to, typeOnly }: Import) =>
    /^(cli|uploader)\//.test(to) || to === 'package.json' || typeOnly || to.endsWith('/limits.ts') || rules.includes(to)
  t.same(violations(importsOf('cli'), isAllowed), [])
})

t.test('the uploader imports only itself, types, limits and sums of checksums of the server, and no package', async (t) => {
  const isAllowed = ({ to, typeOnly }: Import) =>
    to.startsWith('uploader/') ||
    (to.startsWith('src/') && (typeOnly || to.endsWith('/limits.ts') || to === 'src/storage/streams/crc32.ts'))
  t.same(violations(importsOf('uploader'), isAllowed), [])
  const importsPackage = (file: string) => /\bfrom '[^.]/.test(readFileSync(`${root}/${file}`, 'utf8'))
  t.same(globSync('uploader/*.ts', { cwd: root }).filter(importsPackage), [])
})

t.test('the command imports nothing from the pages, not even types', async (t) => {
  t.same(
    violations(importsOf('cli'), ({ to }) => !to.startsWith('web/')),
    [],
  )
})

t.test('the pages are built again when a file of the server that they import changes', async (t) => {
  const sources = new Set(globSync(pageSources, { cwd: root }))
  const imports = [...['web', 'cli', 'uploader'].flatMap(importsOf), ...server.filter(({ from }) => sources.has(from))]
  t.same(
    violations(imports, ({ to, typeOnly }) => typeOnly || !to.startsWith('src/') || sources.has(to)),
    [],
  )
})
