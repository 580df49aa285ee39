import type { AntdTokens } from './antd-styles.ts'

/** By colour scheme. The build puts them here, see antd-styles.ts. */
export const antdTokens = {} as Record<'light' | 'dark', AntdTokens>
