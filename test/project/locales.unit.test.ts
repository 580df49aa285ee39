import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import t from 'tap'
import { parseSync } from 'vite'
import { errors } from '../../src/errors.ts'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
const root = `${import.meta.dirname}/../..`
const locales = globSync(`${root}/locales/*.json`).map((file) => ({ code: basename(file, '.json'), messages: read(file) }))
const english = locales.find(({ code }) => code === 'en-US')!.messages
const components = globSync(`${root}/web/**/*.{ts,tsx}`).map((file) => ({ file, source: readFileSync(file, 'utf8') }))

/** Keys without their plural category, and which of them are counted. */
const baseOf = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const isCounted = (key: string) => baseOf(key) !== key && `${baseOf(key)}_one` in english && `${baseOf(key)}_other` in english
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}|<\/?\w+>/g))].toSorted().join(' ')

function categoriesOf({ 'language.intl': tag }: Record<string, string>): string[] {
  return new Intl.PluralRules(tag).resolvedOptions().pluralCategories
}

/** Every key that a language must have: a counted one in each plural category that it has in CLDR. */
function keysFor(messages: Record<string, string>): Set<string> {
  const categories = categoriesOf(messages)
  return new Set(
    Object.keys(english).flatMap((key) => (isCounted(key) ? categories.map((category) => `${baseOf(key)}_${category}`) : [key])),
  )
}

for (const { code, messages } of locales) {
  t.test(`${code}: every error that the server answers has a text`, async (t) => {
    for (const error of [...Object.keys(errors), 'network']) t.ok(messages[`error.${error}`], error)
  })

  t.test(`${code}: all texts, each in the plural forms of the language, and no others`, async (t) => {
    const [have, wanted] = [new Set(Object.keys(messages)), keysFor(messages)]
    t.same(
      [...wanted].filter((key) => !have.has(key)),
      [],
      'nothing is missing',
    )
    t.same(
      [...have].filter((key) => !wanted.has(key)),
      [],
      'nothing is left over',
    )
    t.same(
      Object.keys(messages).filter((key) => !messages[key]!.trim()),
      [],
      'nothing is empty',
    )
  })

  t.test(`${code}: the placeholders of the English text`, async (t) => {
    for (const [key, text] of Object.entries(messages)) {
      // A form for one number alone may spell the number out.
      const inWords = isCounted(key) && /_(zero|one|two)$/.test(key)
      const wanted = [english[key], english[`${baseOf(key)}_other`]].filter((text) => text !== undefined).map(placeholders)
      if (inWords) wanted.push(...wanted.map((names) => names.replace(/\{(count|number)\} ?/, '').trim()))
      if (!wanted.includes(placeholders(text))) t.fail(`${key}: ${text}`)
    }
    t.ok(Object.keys(messages).length > 800)
  })
}

for (const file of globSync(`${root}/locales/glossary/*.json`)) {
  const code = basename(file, '.json')
  t.test(`${code}: one word for one thing, as its glossary says`, async (t) => {
    const { messages } = locales.find((locale) => locale.code === code)!
    for (const [term, stems] of Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>)) {
      const named = new RegExp(`\\b${term}s?\\b`, 'i')
      for (const [key, text] of Object.entries(messages)) {
        const original = english[key] ?? english[`${baseOf(key)}_other`]!
        const fits =
          !named.test(original) || stems.some((stem) => text.toLocaleLowerCase(code).includes(stem) || text.toLowerCase().includes(stem))
        if (!fits) t.fail(`${key}: "${term}" is ${stems.join(', ')}, not: ${text}`)
      }
    }
    t.ok(messages)
  })
}

t.test('every text that the pages name is there', async (t) => {
  const named = components.flatMap(({ source }) => [...source.matchAll(/\bt\(\s*'([\w.]+)'/g)].map((match) => match[1]!))
  t.ok(named.length > 50)
  const has = (key: string) => key in english || (`${key}_one` in english && `${key}_other` in english)
  t.same(new Set(named.filter((key) => !has(key))), new Set())
})

t.test('components hold no text of their own', async (t) => {
  const shown = new Set(['alt', 'aria-description', 'aria-label', 'description', 'label', 'placeholder', 'title'])
  const hasWord = (text: string) => /\p{L}{2}/u.test(text)
  const found: string[] = []
  for (const { file, source } of components.filter(({ file }) => file.endsWith('.tsx'))) {
    JSON.stringify(parseSync(file, source).program, (_, node) => {
      if (node?.type === 'JSXText' && hasWord(node.value)) found.push(`${file}: ${node.value.trim()}`)
      const said = node?.type === 'JSXAttribute' && shown.has(node.name.name) && node.value?.type === 'Literal'
      if (said && hasWord(node.value.value)) found.push(`${file}: ${node.name.name}="${node.value.value}"`)
      return node
    })
  }
  t.same(found, [])
})

t.test('keys are in alphabetical order', async (t) => {
  for (const { code, messages } of locales) t.same(Object.keys(messages), Object.keys(messages).toSorted(), code)
})
