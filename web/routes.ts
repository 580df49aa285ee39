/**
 * Every page: its path and its module under `pages/`, which exports a component of the module's name. The server answers these paths with the
 * application, preloads the module, and answers any other path with 404.
 */
export const pages = {
  '/': 'home/HomePage',
  '/auth/signIn': 'auth/SignInPage',
  '/auth/signUp': 'auth/SignUpPage',
  '/account/shares': 'shares/MySharesPage',
  '/share/:id': 'share/SharePage',
  '/error': 'error/ErrorPage',
} as const
export type PagePath = keyof typeof pages

/** Addresses that lead to a page by another name: `/s/{id}` is the short form of a share's link. */
export const aliases = { '/s/:id': '/share/:id' } as const
