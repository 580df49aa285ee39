import { createRequire } from 'node:module'
import { createCache, extractStyle, StyleProvider } from '@ant-design/cssinjs'
import { type ComponentType, createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { namedColors } from './antd-theme.ts'

type Component = ComponentType<Record<string, unknown>>

const require = createRequire(import.meta.url)

/**
 * Loads a component of antd, or named parts of it. Loading all of antd takes seconds from a cold
 * disk.
 */
function load(folder: string, ...parts: string[]): Component[] {
  const component = require(`antd/lib/${folder}`).default
  return parts.length === 0 ? [component] : parts.map((part) => (part === '' ? component : component[part]))
}

/**
 * antd's internal component that renders a dialog or notification in place. The public ones render
 * nothing on a server.
 */
const panel = '_InternalPanelDoNotUseOrYouWillBeFired'

/** Every component of antd that the pages use, and the components inside these. */
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
 * Returns the style sheets of `antdComponents` by component. Theme tokens are CSS variables, which
 * antd sets in the browser.
 * They are generated at build time: on a phone, generating them takes longer than the rest of the
 * page.
 * Rules for columns, named colors and plain links are left out, as the pages don't use them.
 * All rules are in one layer (CSS Cascading and Inheritance 5, 6.4), so that the pages' own rules
 * override them in any load order.
 */
export function antdStyles(): Map<string, string> {
  const cache = createCache()
  const elements = Object.values(antdComponents)
    .flat()
    .map((component, key) => createElement(component, { key, options: [] }))
  const ConfigProvider = load('config-provider')[0]!
  renderToString(createElement(StyleProvider, { cache }, createElement(ConfigProvider, { theme: { hashed: false } }, elements)))
  const parts = new Map<string, Cache>()
  for (const [key, entry] of cache.cache) {
    const [kind, , name = ''] = key.split('%') // the second is the hash, which is empty
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

/** The name of the sheet that antd's components share. */
export const shared = 'Shared'

/**
 * Returns the sheet of one of antd's style names: `Button-compact` is in `Button`.
 * Rules for the same elements are in one sheet, in antd's order.
 */
export function sheetOf(name: string): string {
  const [component = ''] = name.split('-')
  if (component === 'Grid') return 'Form'
  return name === 'ant-design-icons' ? shared : component
}

const columns = String.raw`\.ant-col-(\d|push|pull|offset|order|xs|sm|md|lg|xl)[\w-]*`
const coloredButtons = String.raw`\.ant-btn\.ant-btn-color-(${namedColors})`
const links = String.raw`a(:[\w-]+|\[\w+\])*`
const unused = new RegExp(`^(${columns}|${coloredButtons}|${links}|\\.data-ant-cssinjs-cache-path)$`)

function withoutUnused(css: string): string {
  return css
    .replace(/([^{}]*)\{[^{}]*\}/g, (rule, selectors: string) =>
      selectors.split(',').every((selector) => unused.test(selector)) ? '' : rule,
    )
    .replace(/@media[^{}]*\{\}/g, '')
}
