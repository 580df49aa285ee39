import type { AntdTokens } from './antd-theme.ts'

/** antd's tokens by color scheme. The build replaces this value; see antd-theme.ts. */
export const antdTokens = {} as Record<'light' | 'dark', AntdTokens>
