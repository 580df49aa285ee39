import type { AntdTokens } from './antd-theme.ts'

/** By colour scheme. The build puts them here, see antd-theme.ts. */
export const antdTokens = {} as Record<'light' | 'dark', AntdTokens>
