import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { antdComponents, antdStyles } from '../../web/antd-styles.ts'

const web = resolve(import.meta.dirname, '../../web')

t.test('the style sheet has every component of antd that a page imports', async (t) => {
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

t.test('each of them has rules in it', async (t) => {
  const css = antdStyles()
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
