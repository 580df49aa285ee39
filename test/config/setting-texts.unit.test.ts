import { readFile } from 'node:fs/promises'
import t from 'tap'
import { type Definition, settingKeys, settings } from '../../src/config/settings.ts'
import { referenceFile, settingsReference } from '../support/settings-reference.ts'

const texts = JSON.parse(await readFile(new URL('../../locales/en-US.json', import.meta.url), 'utf8')) as Record<string, string>

t.test('has a name and a help text for every setting that administrators see', async (t) => {
  const shown = settingKeys.filter((key) => !(settings[key] as Definition).internal)
  t.ok(shown.length > 50, 'settings were found')
  t.same(
    shown.flatMap((key) => [`config.${key}`, `config.${key}.help`]).filter((text) => !texts[text]),
    [],
  )
})

t.test('has a text for every reason for refusing a value', async (t) => {
  const contract = await readFile(new URL('../../src/config/contract.ts', import.meta.url), 'utf8')
  const [, union = ''] = /export type ConfigReason =((?:\n {2}\| '\w+')+)/.exec(contract) ?? []
  const reasons = [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => reason)
  t.ok(reasons.length > 10, 'reasons were found')
  t.same(
    reasons.filter((reason) => !texts[`config.invalid.${reason}`]),
    [],
  )
})

t.test('keeps docs/settings.md equal to the output of `node test/support/settings-reference.ts`', async (t) => {
  t.equal(await readFile(referenceFile, 'utf8'), settingsReference())
})
