import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('{ARCHITECTURE,SECURITY}.md'), ...globSync('docs/*.md')]
const textOf = (page: string) => readFileSync(page, 'utf8')

t.test('docs/configuration.md lists every environment variable and no other', async (t) => {
  const table = /\| variable \| default \| meaning \|\n(.+?)\n\n/s.exec(textOf('docs/configuration.md'))![1]!
  const described = table.split('\n').flatMap((row) => [...row.split('|')[1]!.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name))
  const read = readFileSync('src/env.ts', 'utf8').matchAll(/(?:text|url|oneOf|database)\('([A-Z0-9_]+)'|'((?:ADMIN|S3)_\w+)'/g)
  const known = new Set([...read].map(([, name, other]) => name ?? other))
  t.same(described.sort(), [...known].sort())
})

t.test('every npm script that a page names exists', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const named = pages.flatMap((page) => [...textOf(page).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => ({ page, name: name! })))
  t.ok(named.length > 5)
  t.same(
    named.filter(({ name }) => !(name in scripts)),
    [],
  )
})

t.test('every relative link leads to a file, and every anchor to a heading', async (t) => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)].map(([, path, anchor]) => ({ page, path: path!, anchor })),
  )
  t.ok(links.length > 10)
  const isBroken = ({ page, path, anchor }: (typeof links)[number]) => {
    const target = path ? join(dirname(page), path) : page
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  }
  t.same(links.filter(isBroken), [])
})

t.test('the README has at most 120 lines', async (t) => {
  t.ok(textOf('README.md').split('\n').length <= 120)
})

function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
