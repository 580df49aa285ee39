import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createTheme } from '@ant-design/cssinjs'
import type { ThemeConfig, theme as themes } from 'antd'

const require = createRequire(import.meta.url)

/** The names of antd's palettes, for a regular expression. */
export const namedColors = 'blue|purple|cyan|green|magenta|pink|red|orange|yellow|volcano|geekblue|gold|lime'

/** The tokens of a theme and those that antd derives from them. */
export interface AntdTokens {
  /** The tokens that antd's algorithms derive from `token`. */
  derived: ReturnType<typeof themes.defaultAlgorithm>
  token: NonNullable<ThemeConfig['token']>
  components: NonNullable<ThemeConfig['components']>
}

/**
 * Returns antd's tokens for both color schemes from the colors in styles.css. Computed at build
 * time, as the styles are.
 */
export function antdTokensOfStyles(): Record<'light' | 'dark', AntdTokens> {
  const css = readFileSync(join(import.meta.dirname, '../styles.css'), 'utf8')
  const of = (scheme: 'light' | 'dark') => {
    const block = new RegExp(`\\[data-theme="${scheme}"\\] \\{([^}]*)\\}`).exec(css)?.[1]
    if (!block) throw new Error(`styles.css has no colors for the ${scheme} scheme.`)
    return tokensFrom(scheme, Object.fromEntries([...block.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value!])))
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
        defaultHoverColor: color.link, // the primary color is a background and has too little contrast as text
        defaultActiveColor: color.link,
      },
      Modal: { borderRadiusLG: 18, titleFontSize: 19, paddingContentHorizontalLG: 28 },
      Notification: { width: 360 },
    },
  }
}
