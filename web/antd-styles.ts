import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createCache, createTheme, extractStyle, StyleProvider } from '@ant-design/cssinjs'
import type { ThemeConfig, theme as themes } from 'antd'
import { type ComponentType, createElement } from 'react'
import { renderToString } from 'react-dom/server'

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
 * browser antd takes longer to make it than the page takes for all else. Without columns and
 * named colours, which the pages have no use for, and without what it would make of every link.
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

const namedColors = 'blue|purple|cyan|green|magenta|pink|red|orange|yellow|volcano|geekblue|gold|lime'

/** What antd derives a theme from, or has derived. */
export interface AntdTokens {
  /** Everything that antd's algorithms make of `token`. */
  derived: ReturnType<typeof themes.defaultAlgorithm>
  token: NonNullable<ThemeConfig['token']>
  components: NonNullable<ThemeConfig['components']>
}

/** antd's tokens for both colour schemes from the colours in styles.css, which are the only ones. Made when the pages are built, as the styles are. */
export function antdTokens(): Record<'light' | 'dark', AntdTokens> {
  const css = readFileSync(join(import.meta.dirname, 'styles.css'), 'utf8')
  const of = (scheme: 'light' | 'dark') => {
    const [, block] = new RegExp(`\\[data-theme="${scheme}"\\] \\{([^}]*)\\}`).exec(css)!
    return tokensFrom(scheme, Object.fromEntries([...block!.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value!])))
  }
  return { light: of('light'), dark: of('dark') }
}

function tokensFrom(scheme: 'light' | 'dark', color: Record<string, string>): AntdTokens {
  const { defaultSeed, defaultAlgorithm, darkAlgorithm } = require('antd/lib/theme').default
  const token: AntdTokens['token'] = {
    colorPrimary: color.primary,
    colorInfo: color.primary,
    colorLink: color.link,
    colorError: color.danger,
    colorTextBase: color.ink,
    colorBgBase: color.surface,
    colorBgContainer: color.surface,
    colorBgElevated: color.raised,
    colorBgLayout: color.paper,
    colorBorder: color['field-line'],
    colorBorderSecondary: color.line,
    colorTextDescription: color['ink-soft'],
    colorTextPlaceholder: color['ink-soft'],
    fontFamily: 'inherit',
    fontSize: 15,
    borderRadius: 10,
    controlHeight: 42,
    controlHeightLG: 48,
  }
  const derived = {
    ...createTheme(scheme === 'dark' ? darkAlgorithm : defaultAlgorithm).getDerivativeToken({ ...defaultSeed, ...token }),
    colorPrimary: color.primary,
    colorPrimaryHover: color['primary-hover'],
    colorPrimaryActive: color['primary-active'],
    colorError: color.danger,
    colorErrorText: color.danger,
  }
  const named = new RegExp(`^(${namedColors})(-?\\d*|Hover|Active)$`)
  return {
    derived: Object.fromEntries(Object.entries(derived).filter(([name]) => !named.test(name))) as unknown as AntdTokens['derived'],
    token,
    components: {
      Button: {
        fontWeight: 550,
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
        dangerColor: color['on-danger'],
        defaultHoverColor: color.link, // a primary colour is made for what is written on it, not for writing with it
        defaultActiveColor: color.link,
      },
      Modal: { borderRadiusLG: 18, titleFontSize: 19, paddingContentHorizontalLG: 28 },
      Notification: { width: 360 },
    },
  }
}
