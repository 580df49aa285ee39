import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
import { buildIfChanged, looksUnchanged } from '../../dev/build-if-changed.ts'

const project = join(import.meta.dirname, '../..')

t.test('builds once for each content of the sources', async (t) => {
  const folder = t.testdir({ sources: { 'a.ts': 'first' } })
  const [source, target] = [join(folder, 'sources/a.ts'), join(folder, 'built')]
  let builds = 0
  const build = () =>
    buildIfChanged(target, [`${relative(project, folder)}/sources/*.ts`], async (fresh) => {
      mkdirSync(fresh)
      writeFileSync(join(fresh, 'result'), String(++builds))
    })
  t.equal(looksUnchanged(target), false)
  t.equal(await build(), true)
  t.equal(looksUnchanged(target), true)
  utimesSync(source, 1, 1)
  t.equal(looksUnchanged(target), false, 'a new time alone')
  t.equal(await build(), false)
  t.equal(looksUnchanged(target), true)
  writeFileSync(source, 'second')
  t.equal(looksUnchanged(target), false)
  t.equal(await build(), true)
  t.ok(existsSync(join(target, 'result')))
})
