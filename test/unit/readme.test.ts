import { readFileSync } from 'node:fs'
import t from 'tap'

const readme = readFileSync('README.md', 'utf8')

t.test('every variable of the environment is in the table, and no other', async (t) => {
  const table = /\| variable \| default \| meaning \|\n(.+?)\n\n/s.exec(readme)![1]!
  const described = table.split('\n').flatMap((row) => [...row.split('|')[1]!.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name))
  const read = readFileSync('src/env.ts', 'utf8').matchAll(/(?:text|url|oneOf)\('([A-Z0-9_]+)'|'(ADMIN_\w+)'/g)
  const known = new Set([...read].map(([, name, other]) => name ?? other))
  t.same(described.sort(), [...known].sort())
})

t.test('every npm command in it is one', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const commands = [...readme.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name!)
  t.ok(commands.length > 0)
  t.same(
    commands.filter((name) => !(name in scripts)),
    [],
  )
})

t.test('its links inside lead somewhere', async (t) => {
  const anchors = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
  const links = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor)
  t.ok(links.length > 0)
  for (const link of links) t.ok(anchors.includes(link!), link!)
})
