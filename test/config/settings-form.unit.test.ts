import t from 'tap'
import type { AdminVariable } from '../../src/config/contract.ts'
import { type SettingKey, settings, typeOf } from '../../src/config/settings.ts'
import { fittingUnit } from '../../web/lib/units.ts'
import { categories, categoryOf, groupsOf } from '../../web/pages/admin/config/groups.ts'
import { variablesOf } from '../../web/pages/admin/config/template-variables.ts'
import { shownValue, withDraft } from '../../web/pages/admin/config/values.ts'

const variable = (key: SettingKey, more: Partial<AdminVariable> = {}): AdminVariable => ({
  key,
  name: key.slice(key.indexOf('.') + 1),
  value: settings[key].default,
  defaultValue: settings[key].default,
  type: typeOf(key),
  secret: false,
  obscured: false,
  isSet: false,
  updatedAt: null,
  allowEdit: true,
  variable: '',
  ...more,
})

t.test('reports only values that differ from the current ones as changes', async (t) => {
  const size = variable('share.maxSize', { value: 5000, isSet: true })
  t.same(withDraft({}, size, 6000), { 'share.maxSize': 6000 })
  t.same(withDraft({ 'share.maxSize': 6000 }, size, 5000), {}, 'back to the current value')
  t.same(withDraft({}, size, null), { 'share.maxSize': null }, 'to the default')
  t.same(withDraft({ 'share.maxSize': 1 }, variable('share.maxSize'), null), {}, 'to the default in force')
  t.same(withDraft({ 'general.appName': 'A' }, size, 6000), { 'general.appName': 'A', 'share.maxSize': 6000 }, 'others stay')
})

t.test('distinguishes false, 0, an empty text and the default', async (t) => {
  t.same(withDraft({}, variable('share.allowRegistration'), false), { 'share.allowRegistration': false })
  t.same(withDraft({}, variable('share.maxExpiration', { value: 24, isSet: true }), 0), { 'share.maxExpiration': 0 })
  t.same(
    withDraft({}, variable('general.appName', { value: 'Auk', isSet: true }), ''),
    { 'general.appName': null },
    'an empty text resets to the default',
  )
  t.same(withDraft({}, variable('general.appName'), ''), {})
  t.equal(shownValue(variable('general.appName', { value: 'Auk', isSet: true }), { 'general.appName': null }), 'Razorbill')
})

t.test('changes a secret by any text, clears it by null, and keeps it for an empty text', async (t) => {
  const secret = variable('smtp.password', { secret: true, isSet: true })
  t.same(withDraft({}, secret, 'new'), { 'smtp.password': 'new' })
  t.same(withDraft({}, secret, null), { 'smtp.password': null })
  t.same(withDraft({ 'smtp.password': 'new' }, secret, ''), {})
  t.same(withDraft({}, { ...secret, isSet: false }, null), {})
})

t.test('shows amounts in their shortest unit', async (t) => {
  const bytes = [0, 1, 999, 1_500, 10_000_000, 5_242_880, 1_250_000_000, 1e12, Number.MAX_SAFE_INTEGER]
  t.same(
    bytes.map((value) => fittingUnit('bytes', value).name),
    ['TB', 'kB', 'kB', 'kB', 'MB', 'kB', 'GB', 'TB', 'kB'],
  )
  t.same(
    [0, 1, 23, 24, 36, 2160].map((value) => fittingUnit('hours', value).name),
    ['day', 'hour', 'hour', 'day', 'hour', 'day'],
  )
})

t.test('shows every setting in exactly one place', async (t) => {
  const listed = Object.keys(settings).filter((key) => key !== 'general.setupFinished') as SettingKey[]
  const placed = categories.flatMap((category) => {
    const own = listed.filter((key) => categoryOf(key) === category).map((key) => variable(key))
    return groupsOf(category, own).flatMap((group) => group.variables.map(({ key }) => key))
  })
  t.same(placed.toSorted(), listed.toSorted())
})

t.test('lists variables for templates only', async (t) => {
  t.same(variablesOf('email.inviteMessage'), ['url', 'password', 'email'])
  t.same(variablesOf('email.shareRecipientsSubject'), [
    'creator',
    'creatorEmail',
    'title',
    'files',
    'size',
    'shareUrl',
    'desc',
    'expires',
    'email',
  ])
  t.same(variablesOf('email.enableShareEmailRecipients'), [])
  t.same(variablesOf('general.appName'), [])
})
