/**
 * Who may see a page. `uploaders` are users, and also visitors if shares without an account are
 * allowed.
 */
type Access = 'everybody' | 'users' | 'visitors' | 'uploaders' | 'admins'
interface Page {
  /** The module under `pages/`. It exports a component of the same name. */
  module: string
  access: Access
}

/**
 * Every page by its path. The server responds to these paths with the application and to all others
 * with 404.
 */
export const pages = {
  '/': { module: 'home/HomePage', access: 'everybody' },
  '/auth/signIn': { module: 'auth/SignInPage', access: 'visitors' },
  '/auth/signUp': { module: 'auth/SignUpPage', access: 'visitors' },
  '/auth/totp/:loginToken': { module: 'auth/TotpPage', access: 'visitors' },
  '/auth/resetPassword': { module: 'auth/ForgotPasswordPage', access: 'everybody' },
  '/auth/resetPassword/:token': { module: 'auth/ResetPasswordPage', access: 'everybody' },
  '/auth/verifyEmail/:token': { module: 'auth/VerifyEmailPage', access: 'everybody' },
  '/upload': { module: 'upload/UploadPage', access: 'uploaders' },
  '/upload/done/:id': { module: 'upload/DonePage', access: 'everybody' },
  '/upload/:token': { module: 'send/SendPage', access: 'everybody' },
  '/account': { module: 'account/AccountPage', access: 'users' },
  '/account/shares': { module: 'shares/MySharesPage', access: 'users' },
  '/account/reverseShares': { module: 'reverse-shares/ReverseSharesPage', access: 'users' },
  '/admin': { module: 'admin/AdminPage', access: 'admins' },
  '/admin/intro': { module: 'admin/IntroPage', access: 'admins' },
  '/admin/config/:category': { module: 'admin/ConfigPage', access: 'admins' },
  '/admin/shares': { module: 'admin/AllSharesPage', access: 'admins' },
  '/admin/users': { module: 'admin/UsersPage', access: 'admins' },
  '/admin/system': { module: 'admin/SystemPage', access: 'admins' },
  '/share/:id/edit': { module: 'edit/EditPage', access: 'everybody' },
  '/share/:id/extend': { module: 'extend/ExtendPage', access: 'everybody' },
  '/share/:id': { module: 'share/SharePage', access: 'everybody' },
  '/notices/:token': { module: 'notices/NoticesPage', access: 'everybody' },
  '/notices/received/:token': { module: 'notices/NoticesPage', access: 'everybody' },
  '/error': { module: 'error/ErrorPage', access: 'everybody' },
} as const satisfies Record<string, Page>

/** Other paths of pages: `/s/{id}` is the short form of a share's link. */
export const aliases = { '/s/:id': '/share/:id', '/admin/config': '/admin/config/general' } as const
