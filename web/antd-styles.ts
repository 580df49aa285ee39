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
 * The style sheet of `antdComponents`, with the tokens of the theme as variables, which antd sets in the browser. Made when the pages are built: in a phone's
 * browser antd takes longer to make it than the page takes for all else. Without columns and named colours, which the pages have
 * no use for, and without what it would make of every link.
 */
export function antdStyles(): string {
  const cache = createCache()
  const shown = Object.values(antdComponents)
    .flat()
    .map((component, key) => createElement(component, { key, options: [] }))
  const ConfigProvider = load('config-provider')[0]!
  renderToString(createElement(StyleProvider, { cache }, createElement(ConfigProvider, { theme: { hashed: false } }, shown)))
  const css = extractStyle(cache, { plain: true, types: 'style' })
  const columns = String.raw`\.ant-col-(\d|xs|sm|md|lg|xl)[\w-]*`
  const named = String.raw`\.ant-btn\.ant-btn-color-(${namedColors})`
  const links = String.raw`a(:[\w-]+|\[\w+\])*`
  const unused = new RegExp(`^(${columns}|${named}|${links}|\\.data-ant-cssinjs-cache-path)$`)
  return css.replace(/([^{}]*)\{[^{}]*\}/g, (rule, selectors: string) =>
    selectors.split(',').every((one) => unused.test(one)) ? '' : rule,
  )
}
