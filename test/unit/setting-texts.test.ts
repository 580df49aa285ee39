import { readFile } from 'node:fs/promises'
import t from 'tap'
import { type Definition, settingKeys, settings } from '../../src/config/settings.ts'

const texts = JSON.parse(await readFile(new URL('../../locales/en-US.json', import.meta.url), 'utf8')) as Record<string, string>

t.test('every setting that administrators see has a name and a help text', async (t) => {
  for (const key of settingKeys.filter((key) => !(settings[key] as Definition).internal)) {
    t.ok(texts[`config.${key}`], `config.${key}`)
    t.ok(texts[`config.${key}.help`], `config.${key}.help`)
  }
})

t.test('every reason for refusing a value has a text, and there are no others', async (t) => {
  const contract = await readFile(new URL('../../src/config/contract.ts', import.meta.url), 'utf8')
  const [, union = ''] = /export type ConfigReason =((?:\n {2}\| '\w+')+)/.exec(contract) ?? []
  const reasons = [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => `config.invalid.${reason}`)
  t.ok(reasons.length > 10, 'the reasons were found')
  t.same(Object.keys(texts).filter((key) => key.startsWith('config.invalid.')).sort(), reasons.sort())
})
