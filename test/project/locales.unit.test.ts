import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import t from 'tap'
import { parseSync } from 'vite'
import { errorStatus } from '../../src/errors.ts'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
const root = `${import.meta.dirname}/../..`
const locales = globSync(`${root}/locales/*.json`).map((file) => ({ code: basename(file, '.json'), messages: read(file) }))
const english = locales.find(({ code }) => code === 'en-US')!.messages
const components = globSync(`${root}/web/**/*.{ts,tsx}`).map((file) => ({ file, source: readFileSync(file, 'utf8') }))

/** Returns a key without its plural category. */
const baseOf = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const isCounted = (key: string) => baseOf(key) !== key && `${baseOf(key)}_one` in english && `${baseOf(key)}_other` in english
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}|<\/?\w+>/g))].toSorted().join(' ')

function categoriesOf({ 'language.intl': tag }: Record<string, string>): string[] {
  return new Intl.PluralRules(tag).resolvedOptions().pluralCategories
}

/**
 * Returns the keys that a language must have: a counted key in each plural category that CLDR gives
 * the language.
 */
function keysFor(messages: Record<string, string>): Set<string> {
  const categories = categoriesOf(messages)
  return new Set(
    Object.keys(english).flatMap((key) => (isCounted(key) ? categories.map((category) => `${baseOf(key)}_${category}`) : [key])),
  )
}

/**
 * Returns the placeholders that a text may have, sorted: those of the English text, without its
 * number in a form for one number alone.
 */
function placeholdersFor(key: string): string[] {
  const allowed = [english[key], english[`${baseOf(key)}_other`]].filter((text) => text !== undefined).map(placeholders)
  const mayOmitNumber = isCounted(key) && /_(zero|one|two)$/.test(key)
  return mayOmitNumber ? [...allowed, ...allowed.map((names) => names.replace(/\{(count|number)\} ?/, '').trim())] : allowed
}

for (const { code, messages } of locales) {
  t.test(`${code}: every error code has a text`, async (t) => {
    t.same(
      [...Object.keys(errorStatus), 'network'].filter((error) => !messages[`error.${error}`]),
      [],
    )
  })

  t.test(`${code}: has exactly the keys of en-US, in the plural forms of the language and in alphabetical order`, async (t) => {
    const [keys, expected] = [Object.keys(messages), keysFor(messages)]
    const missing = [...expected].filter((key) => !(key in messages))
    const extra = keys.filter((key) => !expected.has(key))
    const empty = keys.filter((key) => !messages[key]!.trim())
    const misplaced = keys.filter((key, at) => at > 0 && keys[at - 1]! > key)
    t.same({ missing, extra, empty, misplaced }, { missing: [], extra: [], empty: [], misplaced: [] })
  })

  t.test(`${code}: has the placeholders of the English text`, async (t) => {
    t.ok(Object.keys(messages).length > 800)
    t.same(
      Object.entries(messages).filter(([key, text]) => !placeholdersFor(key).includes(placeholders(text))),
      [],
    )
  })
}

for (const file of globSync(`${root}/locales/glossary/*.json`)) {
  const code = basename(file, '.json')
  t.test(`${code}: uses the words of its glossary`, async (t) => {
    const { messages } = locales.find((locale) => locale.code === code)!
    const glossary = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>)
    t.ok(glossary.length > 0)
    const offenders = glossary.flatMap(([term, stems]) => {
      const named = new RegExp(`\\b${term}s?\\b`, 'i')
      return Object.entries(messages).flatMap(([key, text]) => {
        const original = (english[key] ?? english[`${baseOf(key)}_other`] ?? '').replaceAll(/\{\w+\}/g, '')
        const texts = [text.toLocaleLowerCase(code), text.toLowerCase()]
        const fits = !named.test(original) || stems.some((stem) => texts.some((lower) => lower.includes(stem)))
        return fits ? [] : [`${key}: "${term}" is ${stems.join(', ')}, not: ${text}`]
      })
    })
    t.same(offenders, [])
  })
}

t.test('every key that the pages use exists', async (t) => {
  const named = components.flatMap(({ source }) => [...source.matchAll(/\bt\(\s*'([\w.]+)'/g)].map((match) => match[1]!))
  t.ok(named.length > 50)
  const has = (key: string) => key in english || (`${key}_one` in english && `${key}_other` in english)
  t.same(
    named.filter((key) => !has(key)),
    [],
  )
})

t.test('components contain no texts outside locales/', async (t) => {
  const shown = new Set(['alt', 'aria-description', 'aria-label', 'description', 'label', 'placeholder', 'title'])
  const hasWord = (text: string) => /\p{L}{2}/u.test(text)
  const found: string[] = []
  for (const { file, source } of components.filter(({ file }) => file.endsWith('.tsx'))) {
    JSON.stringify(parseSync(file, source).program, (_, node) => {
      if (node?.type === 'JSXText' && hasWord(node.value)) found.push(`${file}: ${node.value.trim()}`)
      const isShown = node?.type === 'JSXAttribute' && shown.has(node.name.name) && node.value?.type === 'Literal'
      if (isShown && hasWord(node.value.value)) found.push(`${file}: ${node.name.name}="${node.value.value}"`)
      return node
    })
  }
  t.same(found, [])
})
