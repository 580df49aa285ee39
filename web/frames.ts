import type { pages } from './routes.ts'

const coming = '<div class="skeleton"><div class="skeleton-block"></div></div>'
const authCard = (title: string) => `<section class="auth perch card"><h1>{${title}}</h1>${coming}</section>`

/**
 * What a page shows of itself before the application has come, where it can be told: its heading, in the place where it will stay. `{key}` is a text. It is
 * what was asked for: who may not see it is led elsewhere by the application. All others show lines without words; that of uploading would ask for files
 * before anything takes them.
 */
export const frames: Partial<Record<keyof typeof pages, string>> = {
  '/auth/signIn': authCard('auth.signInTitle'),
  '/auth/signUp': authCard('auth.signUpTitle'),
}
