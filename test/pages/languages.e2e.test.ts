import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser, visitor } from '../support/browser/browser.ts'
import { arrive, createShareRow, makeLink } from '../support/browser/journeys.ts'

t.setTimeout(300_000) // a browser and a whole server on a small machine
const { url } = await startServer(t)
const browser = await openBrowser(t)
const admin = await (await visitor(t, browser, url)).newPage()
await arrive(admin, 'ada')
await createShareRow(admin.context(), 'photos', { 'trip/view.jpg': 'bytes', 'notes.txt': 'some words' })
await makeLink(admin, 'for-ada')
const signedIn = await admin.context().storageState()
const nobody = { cookies: [], origins: [] }

const visitors = [
  '/',
  '/auth/signIn',
  '/auth/signUp',
  '/auth/resetPassword',
  '/share/photos',
  '/share/none',
  '/upload/for-ada',
  '/error',
  '/nowhere',
]
const users = ['/upload', '/account', '/account/shares', '/account/reverseShares', '/share/photos/edit']
const admins = ['/admin', '/admin/config/general', '/admin/config/email', '/admin/shares', '/admin/users', '/admin/system']

for (const { code, direction, options } of [
  { code: 'de-DE', direction: 'ltr', options: { viewport: { width: 360, height: 740 } } },
  { code: 'ar-EG', direction: 'rtl', options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } },
] as const) {
  t.test(`is accessible on every page in ${code}`, async (t) => {
    for (const [storageState, paths] of [
      [nobody, visitors],
      [signedIn, [...users, ...admins]],
    ] as const) {
      const context = await visitor(t, browser, url, { ...options, reducedMotion: 'reduce', storageState })
      await context.addCookies([{ name: 'language', value: code, url }])
      const page = await context.newPage()
      for (const path of paths) {
        await page.goto(path)
        await page.locator('main[id=content] h1').first().waitFor()
        t.equal(await page.locator('html').getAttribute('dir'), direction)
        await accessible(t, page, `${path} in ${code}`)
        await fitsWidth(t, page, `${path} in ${code}`)
      }
      await context.close()
    }
  })
}
