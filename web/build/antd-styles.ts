import { createRequire } from 'node:module'
import { createCache, extractStyle, StyleProvider } from '@ant-design/cssinjs'
import { type ComponentType, createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { namedColors } from './antd-theme.ts'

type Component = ComponentType<Record<string, unknown>>

const require = createRequire(import.meta.url)

/** A component of antd, or the named parts of it. Each is loaded alone: all of antd takes seconds from a cold disk. */
function load(folder: string, ...parts: string[]): Component[] {
  const component = require(`antd/lib/${folder}`).default
  return parts.length === 0 ? [component] : parts.map((part) => (part === '' ? component : component[part]))
}

/** antd's own way to a dialog or a notification that stands in the page: on a server the others render nothing. */
const panel = '_InternalPanelDoNotUseOrYouWillBeFired'

/** Every component of antd that the pages use, and what these show within themselves. */
export const antdComponents: Record<string, Component[]> = {
  Button: load('button'),
  Checkbox: load('checkbox', '', 'Group'),
  Collapse: load('collapse'),
  Empty: load('empty'),
  Form: load('form', '', 'Item'),
  Input: load('input', '', 'TextArea', 'Password', 'Search', 'OTP'),
  InputNumber: load('input-number'),
  Modal: load('modal', '', panel),
  Radio: load('radio', '', 'Group'),
  Segmented: load('segmented'),
  Select: load('select'),
  Switch: load('switch'),
  notification: load('notification', panel),
}

/**
 * The style sheets of `antdComponents` by component, with the tokens of the theme as variables, which antd sets in the browser. Made when the pages are built:
 * in a phone's browser antd takes longer to make them than the page takes for all else. Without columns and named colours, which the pages have no use for,
 * and without what it would make of every link. They lie in one layer (CSS Cascading and Inheritance 5, 6.4), so that what the pages say comes after all of it,
 * whenever each arrives.
 */
export function antdStyles(): Map<string, string> {
  const cache = createCache()
  const shown = Object.values(antdComponents)
    .flat()
    .map((component, key) => createElement(component, { key, options: [] }))
  const ConfigProvider = load('config-provider')[0]!
  renderToString(createElement(StyleProvider, { cache }, createElement(ConfigProvider, { theme: { hashed: false } }, shown)))
  const parts = new Map<string, Cache>()
  for (const [key, entry] of cache.cache) {
    const [kind, , name = ''] = key.split('%') // the second is the hash, of which there is none
    if (kind !== 'style') continue
    const sheet = sheetOf(name)
    const part = parts.get(sheet) ?? createCache()
    parts.set(sheet, part)
    part.cache.set(key, entry)
  }
  return new Map(
    [...parts].map(([name, part]) => [name, `@layer antd{${withoutUnused(extractStyle(part, { plain: true, types: 'style' }))}}`]),
  )
}

type Cache = ReturnType<typeof createCache>

/** What antd's components share. */
export const shared = 'Shared'

/** The sheet of a name under which antd makes styles: `Button-compact` is in `Button`. Whose rules speak of the same elements are together, in antd's order. */
export function sheetOf(name: string): string {
  const [component = ''] = name.split('-')
  if (component === 'Grid') return 'Form'
  return name === 'ant-design-icons' ? shared : component
}

const columns = String.raw`\.ant-col-(\d|push|pull|offset|order|xs|sm|md|lg|xl)[\w-]*`
const named = String.raw`\.ant-btn\.ant-btn-color-(${namedColors})`
const links = String.raw`a(:[\w-]+|\[\w+\])*`
const unused = new RegExp(`^(${columns}|${named}|${links}|\\.data-ant-cssinjs-cache-path)$`)

function withoutUnused(css: string): string {
  return css
    .replace(/([^{}]*)\{[^{}]*\}/g, (rule, selectors: string) => (selectors.split(',').every((one) => unused.test(one)) ? '' : rule))
    .replace(/@media[^{}]*\{\}/g, '')
}
