import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'

// Features import only to the right. Infrastructure imports no feature. The browser imports only types and constants.
const features = [
  'pingvin-import',
  'system',
  'oauth',
  'auth',
  'users',
  'reverse-shares',
  'uploads',
  'downloads',
  'shares',
  'config',
  'mail',
]
const rooms = ['http', 'db', 'storage', 'queue', 'crypto']
const root = resolve(import.meta.dirname, '../..')

interface Import {
  from: string
  to: string
  typeOnly: boolean
}

async function importsOf(folder: string): Promise<Import[]> {
  const names = await readdir(join(root, folder), { recursive: true })
  const sources = names.filter((name) => /\.tsx?$/.test(name))
  const found = await Promise.all(
    sources.map(async (name) => {
      const from = join(folder, name)
      const text = await readFile(join(root, from), 'utf8')
      const pattern = /(?:^(?:import|export)\s(type\s)?(?:[^'"]*?from\s+)?|\bimport\()'(\.[^']+)'/gms
      return [...text.matchAll(pattern)].map(([, type, path]) => ({
        from,
        to: relative(root, resolve(root, dirname(from), path!)),
        typeOnly: Boolean(type),
      }))
    }),
  )
  return found.flat()
}

const roomOf = (path: string) => (path.startsWith('src/') && path.split('/').length > 2 ? path.split('/')[1]! : '')

t.test('features import only to the right', async (t) => {
  const imports = await importsOf('src')
  t.ok(imports.length > 50, 'the import lines were found')
  for (const { from, to, typeOnly } of imports) {
    const [importer, imported] = [roomOf(from), roomOf(to)]
    if (!features.includes(imported) || importer === imported) continue
    if (features.includes(importer)) t.ok(features.indexOf(imported) > features.indexOf(importer), `${from} may import ${to}`)
    else if (rooms.includes(importer)) t.ok(typeOnly && to.endsWith('contract.ts'), `${from} knows no feature, so not ${to}`)
  }
})

t.test('the server never imports the worker or the browser, and nothing imports routes but the app and a feature’s own', async (t) => {
  for (const { from, to } of await importsOf('src')) {
    t.notMatch(to, /^(worker|web|test|bench)\//, `${from} → ${to}`)
    const isOwn = /\broutes\.ts$/.test(from) && roomOf(from) === roomOf(to)
    if (/\broutes\.ts$/.test(to)) t.ok(from === 'src/app.ts' || isOwn, `${from} → ${to}`)
  }
})

t.test('the worker imports from src and itself only', async (t) => {
  for (const { from, to } of await importsOf('worker')) t.match(to, /^(src|worker)\//, `${from} → ${to}`)
})

t.test('the browser takes only types, limits and how names are shown from the server', async (t) => {
  for (const { from, to, typeOnly } of await importsOf('web')) {
    if (!to.startsWith('src/')) continue
    t.ok(typeOnly || to.endsWith('/limits.ts') || to === 'src/invisible-characters.ts', `${from} may import ${to}`)
  }
})

t.test('no page imports from the folder of another page', async (t) => {
  const folderOf = (path: string) => /^web\/pages\/([^/]+)\//.exec(path)?.[1]
  const imports = await importsOf('web/pages')
  t.ok(imports.length > 50, 'the import lines were found')
  const offenders = imports.filter(({ from, to }) => folderOf(to) !== undefined && folderOf(to) !== folderOf(from))
  t.same(
    offenders.map(({ from, to }) => `${from} → ${to}`),
    [],
    'shared pieces are in web/components or web/lib',
  )
})

t.test('web/ has at most eight source files at its root', async (t) => {
  const names = await readdir(join(root, 'web'))
  const sources = names.filter((name) => /\.tsx?$/.test(name)).sort()
  t.same(sources, ['App.tsx', 'Root.tsx', 'api.ts', 'i18n.ts', 'main.ts', 'routes.ts', 'start.ts', 'theme.ts'])
})

t.test('the command takes the uploader, types, and how an archive makes names safe: it is one small file', async (t) => {
  for (const { from, to, typeOnly } of await importsOf('cli')) {
    if (to.startsWith('cli/') || to.startsWith('uploader/') || to === 'package.json') continue
    t.ok(typeOnly || to === 'src/downloads/zip/names.ts', `${from} may import ${to}`)
  }
})

t.test('queries know nothing of services or routes', async (t) => {
  for (const { from, to } of await importsOf('src')) {
    if (/\bqueries\.ts$/.test(from)) t.notMatch(to, /(service|routes)\.ts$/, `${from} → ${to}`)
  }
})
