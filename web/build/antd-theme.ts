import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createTheme } from '@ant-design/cssinjs'
import type { ThemeConfig, theme as themes } from 'antd'

const require = createRequire(import.meta.url)

/** The names of antd's palettes, for a regular expression. */
export const namedColors = 'blue|purple|cyan|green|magenta|pink|red|orange|yellow|volcano|geekblue|gold|lime'

/** What antd derives a theme from, or has derived. */
export interface AntdTokens {
  /** Everything that antd's algorithms make of `token`. */
  derived: ReturnType<typeof themes.defaultAlgorithm>
  token: NonNullable<ThemeConfig['token']>
  components: NonNullable<ThemeConfig['components']>
}

/** antd's tokens for both colour schemes from the colours in styles.css, which are the only ones. Made when the pages are built, as the styles are. */
export function makeAntdTokens(): Record<'light' | 'dark', AntdTokens> {
  const css = readFileSync(join(import.meta.dirname, '../styles.css'), 'utf8')
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
