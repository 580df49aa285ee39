import type { ThemeConfig } from 'antd'
import type { AntdTokens } from './build/antd-theme.ts'
import { antdTokens } from './build/antd-tokens.ts'
import { start } from './start.ts'

/** Returns Ant Design's theme. Its styles and tokens are generated when the pages are built. */
export function antTheme(scheme: 'light' | 'dark'): ThemeConfig {
  const { derived, token, components } = antdTokens[scheme]
  const accent = accentTokens(scheme)
  const motion = !matchMedia('(prefers-reduced-motion: reduce)').matches
  return {
    zeroRuntime: true,
    hashed: false,
    algorithm: () => ({ ...derived, ...accent, motion }),
    token: { ...token, ...accent },
    components: withAccent(components, scheme),
  }
}

/** Returns antd's tokens that are derived from the accent color; empty if none is set. */
function accentTokens(scheme: 'light' | 'dark') {
  const palette = start.palettes?.[scheme]
  if (!palette) return {}
  const { primary, tint, link } = palette
  return {
    colorPrimary: primary,
    colorPrimaryHover: palette['primary-hover'],
    colorPrimaryActive: palette['primary-active'],
    colorPrimaryBg: tint,
    colorPrimaryBgHover: tint,
    colorPrimaryBorder: palette.focus,
    colorPrimaryBorderHover: palette.focus,
    colorInfo: primary,
    colorLink: link,
    colorLinkHover: link,
    colorLinkActive: link,
  }
}

function withAccent(components: AntdTokens['components'], scheme: 'light' | 'dark'): AntdTokens['components'] {
  const link = start.palettes?.[scheme].link
  return link ? { ...components, Button: { ...components.Button, defaultHoverColor: link, defaultActiveColor: link } } : components
}
