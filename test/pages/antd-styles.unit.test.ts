import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { antdComponents, antdStyles } from '../../web/build/antd-styles.ts'
import { antdTokensOfStyles } from '../../web/build/antd-theme.ts'

const web = resolve(import.meta.dirname, '../../web')

t.test('contains the styles of every antd component that a page imports', async (t) => {
  const used = new Set(
    globSync('**/*.tsx', { cwd: web }).flatMap((file) =>
      [...readFileSync(join(web, file), 'utf8').matchAll(/^import \{([^}]*)\} from 'antd'$/gm)]
        .flatMap(([, names]) => names!.split(','))
        .map((name) => name.trim())
        .filter((name) => name && !name.startsWith('type ') && name !== 'ConfigProvider'),
    ),
  )
  t.ok(used.size > 8, 'the import lines were found')
  for (const name of used) t.ok(name in antdComponents, name)
})

t.test('contains rules for each component', async (t) => {
  const css = [...antdStyles().values()].join('')
  for (const prefix of [
    'btn',
    'checkbox',
    'collapse',
    'empty',
    'form',
    'input',
    'otp',
    'input-number',
    'modal',
    'notification',
    'radio',
    'segmented',
    'select',
    'switch',
  ])
    t.match(css, `.ant-${prefix}`, prefix)
})

t.test('has no rules for elements outside antd', async (t) => {
  const css = [...antdStyles().values()].join('').replace(/@layer [^{;]*[{;]/g, '')
  const selectors = [...css.matchAll(/([^{}]*)\{[^{}]*\}/g)].flatMap(([, selectors]) => selectors!.split(','))
  const strange = selectors.filter((one) => !/\.(ant-|anticon)|^(from|to|[\d.]+%|\.(move|slide|zoom)-[\w-]+)$/.test(one.trim()))
  t.same(strange, [])
})

t.test('takes the tokens from the colors in styles.css, by scheme', async (t) => {
  const { light, dark } = antdTokensOfStyles()
  t.same(Object.keys(light.derived), Object.keys(dark.derived))
  t.match(light, {
    derived: { colorPrimary: '#4940de', colorPrimaryHover: '#5a52e6', fontSize: 15 },
    token: { colorBgContainer: '#ffffff' },
  })
  t.match(dark, { derived: { colorPrimary: '#6a61f0', colorError: '#f0637c' }, components: { Button: { defaultHoverColor: '#a9a4f8' } } })
  t.notMatch(Object.keys(light.derived).join(' '), /\b(blue|lime)/)
})
