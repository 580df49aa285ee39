import type { ThemeConfig } from 'antd'
import { antdTokens } from './build/antd-tokens.ts'

/** Returns Ant Design's theme. Its styles and tokens are generated when the pages are built. */
export function antTheme(scheme: 'light' | 'dark'): ThemeConfig {
  const { derived, token, components } = antdTokens[scheme]
  const motion = !matchMedia('(prefers-reduced-motion: reduce)').matches
  return { zeroRuntime: true, hashed: false, algorithm: () => ({ ...derived, motion }), token, components }
}
