import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import t from 'tap'
import { errors } from '../../src/errors.ts'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
const root = `${import.meta.dirname}/../..`
const locales = globSync(`${root}/locales/*.json`).map((file) => ({ code: basename(file, '.json'), messages: read(file) }))
const english = locales.find(({ code }) => code === 'en-US')!.messages
const source = globSync(`${root}/web/**/*.{ts,tsx}`)
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

for (const { code, messages } of locales) {
  t.test(`${code}: every error that the server answers has a text`, async (t) => {
    for (const error of [...Object.keys(errors), 'network']) t.ok(messages[`error.${error}`], error)
  })
}

t.test('every text that the pages name is there', async (t) => {
  const named = [...source.matchAll(/\bt\(\s*'([\w.]+)'/g)].map((match) => match[1]!)
  t.ok(named.length > 50)
  const has = (key: string) => key in english || (`${key}_one` in english && `${key}_other` in english)
  t.same(new Set(named.filter((key) => !has(key))), new Set())
})

t.test('keys are in alphabetical order', async (t) => {
  t.same(Object.keys(english), Object.keys(english).toSorted())
})
