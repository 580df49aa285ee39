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

/** What antd's components share: its icons, its links, and the order of the layers. */
export const shared = 'Shared'

/**
 * The style sheets of `antdComponents` by the names under which antd makes them (`Button-Button`), with the tokens of the theme as variables, which antd sets
 * in the browser. Made when the pages are built: in a phone's browser antd takes longer to make them than the page takes for all else. Without columns and
 * named colours, which the pages have no use for, and without what it would make of every link. They lie in layers (CSS Cascading and Inheritance 5, 6.4),
 * so that it is all the same when each arrives: antd's own order holds between them, and what the pages say comes after all of it.
 */
export function antdStyles(): Map<string, string> {
  const cache = createCache()
  const shown = Object.values(antdComponents)
    .flat()
    .map((component, key) => createElement(component, { key, options: [] }))
  const ConfigProvider = load('config-provider')[0]!
  renderToString(createElement(StyleProvider, { cache }, createElement(ConfigProvider, { theme: { hashed: false } }, shown)))
  const sheets = new Map([[shared, `@layer ${layers.map((order) => layerOf(order)).join()};`]])
  for (const [key, entry] of cache.cache) {
    const [kind, , name = ''] = key.split('%') // the second is the hash, of which there is none
    if (kind !== 'style') continue
    const alone = createCache()
    alone.cache.set(key, entry)
    const order = layers.findLast((order) => order <= entry[1][4])!
    const css = withoutUnused(extractStyle(alone, { plain: true, types: 'style' }))
    const sheet = name === 'ant-design-icons' ? shared : name
    sheets.set(sheet, `${sheets.get(sheet) ?? ''}@layer ${layerOf(order)}{${css}}`)
  }
  return sheets
}

/** What antd says of the order of its styles, the first being the weakest. */
const layers = [-1000, -999, -998]

const layerOf = (order: number) => `antd.order${1000 + order}`

const columns = String.raw`\.ant-col-(\d|push|pull|offset|order|xs|sm|md|lg|xl)[\w-]*`
const named = String.raw`\.ant-btn\.ant-btn-color-(${namedColors})`
const links = String.raw`a(:[\w-]+|\[\w+\])*`
const unused = new RegExp(`^(${columns}|${named}|${links}|\\.data-ant-cssinjs-cache-path)$`)

function withoutUnused(css: string): string {
  return css
    .replace(/([^{}]*)\{[^{}]*\}/g, (rule, selectors: string) => (selectors.split(',').every((one) => unused.test(one)) ? '' : rule))
    .replace(/@media[^{}]*\{\}/g, '')
}
