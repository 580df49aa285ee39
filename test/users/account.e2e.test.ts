import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { accessible, fitsWidth, openBrowser } from '../support/browser/browser.ts'
import {
  addAuthenticator,
  fillCode,
  fillSignIn,
  mailedLink,
  member,
  onAccount,
  setTotpUp,
  signOut,
  still,
} from '../support/people/accounts.ts'
import { password } from '../support/people/people.ts'
import { codeAt, wrongCode } from '../support/people/totp.ts'
import { mailServer } from '../support/smtp.ts'

t.setTimeout(600_000) // a browser and a whole server on a small machine
const url = (await startServer(t)).url.replace('127.0.0.1', 'localhost') // passkeys need a domain name
const mail = await mailServer(t)
const browser = await openBrowser(t)
const admin = await member(t, browser, url, 'alice')
const smtp = { enabled: true, host: '127.0.0.1', port: mail.port, email: 'razorbill@example.com' }
const settings: object[] = Object.entries(smtp).map(([name, value]) => ({ key: `smtp.${name}`, value }))
settings.push({ key: 'general.appUrl', value: url })
t.ok((await admin.context.request.patch('/api/configs/admin', { data: settings })).ok(), 'email is on')

t.test('lets an administrator add, change and delete users', async (t) => {
  const { page } = admin
  await page.goto('/admin/users')
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: `${name}@example.com` })
  const create = async (name: string, secret?: string) => {
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog', { name: 'New user' })
    await dialog.getByLabel('Username').fill(name)
    await dialog.getByLabel('Email address').fill(`${name}@example.com`)
    if (secret) await dialog.getByText('With a password that I choose').click()
    if (secret) await dialog.getByRole('textbox', { name: 'Password' }).fill(secret)
    await accessible(t, page, 'the dialog of a new user')
    await dialog.getByRole('button', { name: 'Create user' }).click()
    await rowOf(name).waitFor()
  }
  await create('invited')
  await create('unwanted', password)
  await accessible(t, page, 'the users')
  await rowOf('invited').getByText('No password yet').waitFor()

  for (const action of ['Edit', 'Set a password for', 'Sign out', 'Delete'])
    t.equal(
      await page.getByRole('button', { name: new RegExp(`^${action} alice`) }).count(),
      0,
      `not for the user’s own account: ${action}`,
    )
  t.equal(await rowOf('alice').getByRole('link', { name: 'My account' }).count(), 1)
  await page.getByRole('button', { name: 'Edit unwanted' }).click()
  await page.getByLabel('Username').fill('invited')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('An account with this username already exists').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Edit unwanted' }).click()
  await page.getByRole('checkbox', { name: 'Administrator' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await rowOf('unwanted').getByText('Administrator').waitFor()
  const unwanted = await (await still(t, browser, url)).newPage()
  await unwanted.goto('/auth/signIn?redirect=/account')
  await fillSignIn(unwanted, 'unwanted')
  await onAccount(unwanted)
  await page.getByRole('button', { name: 'Sign out unwanted everywhere' }).click()
  await accessible(t, page, 'the question before the sessions of a user end')
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByText('The user was signed out everywhere').waitFor()
  await unwanted.reload()
  await unwanted.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await page.getByLabel('Search users').fill('unwant')
  await rowOf('alice').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete unwanted' }).click()
  await accessible(t, page, 'the dialog for deleting a user')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No user matches your search.').waitFor()
})

t.test('lets an invited user choose a password, and a user who forgets it choose another', async (t) => {
  const page = await (await still(t, browser, url)).newPage()
  const invitation = await mailedLink(mail.received, 'invited@example.com')
  await page.goto(invitation)
  await accessible(t, page, 'the page to choose a password')
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Must be at least 8 characters').waitFor()
  await page.getByLabel('New password').fill('my first password')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('link', { name: 'Sign in' }).last().click()
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Email address').fill('invited@example.com')
  await accessible(t, page, 'the page of who has forgotten')
  mail.received.length = 0
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
  const link = await mailedLink(mail.received, 'invited@example.com')
  t.not(link, invitation)
  await page.goto(link)
  await page.getByLabel('New password').fill('my second password')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('heading', { name: 'Your password is set' }).waitFor()
  await page.goto(link)
  await page.getByLabel('New password').fill('a third of a thief')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('link', { name: 'Request a new link' }).waitFor()
  await page.goto('/auth/signIn?redirect=//evil.example/')
  await fillSignIn(page, 'invited', 'my first password')
  await page.getByText('Wrong username, email address or password').waitFor()
  await fillSignIn(page, 'invited@example.com', 'my second password')
  await page.getByRole('heading', { name: 'Drop your files here' }).waitFor()
  t.equal(new URL(page.url()).origin, url, 'redirects stay on this site')
})

t.test('sets up two factors, signs in with a code and a recovery code, and turns them off', async (t) => {
  const { page } = await member(t, browser, url, 'careful', { acceptDownloads: true })
  await page.goto('/account')
  await accessible(t, page, 'the account')
  const { secret, recoveryCodes, file } = await setTotpUp(page, (name) => accessible(t, page, name))
  t.equal(recoveryCodes.length, 10)
  for (const code of recoveryCodes) t.ok(file.includes(code), 'the file contains every code')
  await signOut(page, 'careful')
  await fillSignIn(page, 'careful')
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  await accessible(t, page, 'the second step')
  const step = page.url()
  await fillCode(page, wrongCode(secret, new Date()))
  await page.getByText('This code is wrong or has already been used.').waitFor()
  t.equal((await page.request.get('/api/users/me')).status(), 401, 'a pending sign-in has no access')
  await fillCode(page, codeAt(secret, new Date(), 1))
  await onAccount(page)
  await page.getByText('10 recovery codes left').waitFor()

  const other = await (await still(t, browser, url)).newPage()
  await other.goto(step)
  await fillCode(other, codeAt(secret, new Date(), 1))
  await other.getByText('Please start the sign-in again.').waitFor()
  await other.getByRole('link', { name: 'Sign in again' }).click()
  await fillSignIn(other, 'careful')
  await other.getByRole('button', { name: 'Use a recovery code' }).click()
  await fillCode(other, recoveryCodes[0]!.toUpperCase())
  await onAccount(other)
  await other.getByText('9 recovery codes left').waitFor()
  await other.getByRole('button', { name: 'Turn off' }).click()
  const dialog = other.getByRole('dialog', { name: 'Turn off two-factor sign-in?' })
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(password)
  await dialog.getByLabel('Code').fill(recoveryCodes[0]!)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByText('This code is wrong or has already been used.').waitFor()
  await dialog.getByLabel('Code').fill(recoveryCodes[1]!)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await other.getByRole('button', { name: 'Turn on' }).waitFor()
})

t.test('adds and names a passkey, signs in with it in place of both factors, and deletes it', async (t) => {
  const { page } = await member(t, browser, url, 'modern')
  const authenticator = await addAuthenticator(page)
  await page.goto('/account')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'The passkey was added' })
  await dialog.getByLabel('Name').fill('My thumb')
  await accessible(t, page, 'the new passkey')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('listitem').filter({ hasText: 'My thumb' }).getByText('Never used').waitFor()
  t.equal(await authenticator.count(), 1)
  await setTotpUp(page, async () => {})

  await authenticator.touches(false)
  await signOut(page, 'modern')
  await accessible(t, page, 'the sign-in')
  await authenticator.touches(true)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await onAccount(page)
  t.equal(await page.getByText('Never used').count(), 0)

  await page.getByRole('button', { name: 'Delete the passkey My thumb' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('My thumb', { exact: true }).waitFor({ state: 'detached' })
  await authenticator.touches(false)
  await signOut(page, 'modern')
  await authenticator.touches(true)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This passkey is unknown here, or the check failed.').waitFor()
})

t.test('signs out elsewhere after a password change or an ended session, and deletes tokens', async (t) => {
  const { page } = await member(t, browser, url, 'moving')
  const other = await (await still(t, browser, url)).newPage()
  await other.goto('/auth/signIn?redirect=/account')
  await fillSignIn(other, 'moving')
  await onAccount(other)

  await page.goto('/account')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'New API token' })
  await dialog.getByLabel('Name').fill('Backup')
  await accessible(t, page, 'the dialog of a new token')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = await page.getByLabel('API token', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  const withToken = async () =>
    await fetch(`${url}/api/users/me`, { headers: { authorization: `Bearer ${token}` } }).then((answer) => answer.status)
  t.equal(await withToken(), 200)

  await page.getByRole('button', { name: /^Sign out Chrome/ }).click()
  await page.getByText('The device was signed out').waitFor()
  await other.reload()
  await other.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await fillSignIn(other, 'moving')
  await onAccount(other)

  await page.getByLabel('Current password').fill('not my password')
  await page.getByLabel('New password').fill('an even better horse')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Invalid password').waitFor()
  await page.getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password was changed').waitFor()
  t.equal(await withToken(), 401)
  await other.reload()
  await fillSignIn(other, 'moving')
  await other.getByText('Wrong username, email address or password').waitFor()
  await page.reload()
  await onAccount(page)
})

t.test('requires the password to change the email address', async (t) => {
  const { page } = await member(t, browser, url, 'renamed')
  await page.goto('/account')
  await page.getByLabel('Email address').fill('new@example.com')
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: "Confirm it's you" })
  await dialog.getByRole('textbox', { name: 'Current password' }).fill('not my password')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('Invalid password').waitFor()
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(password)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.reload()
  await onAccount(page)
  t.equal(await page.getByLabel('Email address').inputValue(), 'new@example.com')
})

t.test('keeps all tabs signed in when their access tokens expire at the same time', async (t) => {
  const { context, page } = await member(t, browser, url, 'tabbing')
  await page.goto('/account')
  await onAccount(page)
  await page.evaluate("localStorage.setItem('accessTokenExpiresAt', new Date(0).toISOString())")
  await context.clearCookies({ name: 'access_token' })
  const tabs = [page, await context.newPage(), await context.newPage()]
  await Promise.all([tabs[0]!.reload(), tabs[1]!.goto('/account'), tabs[2]!.goto('/account')])
  for (const tab of tabs) await onAccount(tab)
  const sessions = await context.request.get('/api/auth/sessions')
  t.equal((await sessions.json()).length, 1, 'in their only session')
  await signOut(tabs[0]!, 'tabbing')
  await tabs[1]!.reload()
  await tabs[1]!.getByRole('heading', { name: 'Welcome back' }).waitFor()
})

t.test('deletes an account after its name is typed, but not the last administrator (phone, dark mode)', async (t) => {
  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, colorScheme: 'dark' as const }
  const name = 'somebody_with_a_very_long_name.x'
  const { page } = await member(t, browser, url, name, phone)
  await page.goto('/account')
  await page.getByText('This device').waitFor()
  await fitsWidth(t, page, 'the account')
  await accessible(t, page, 'the account on a phone')
  const remove = async (page: typeof admin.page, typed: string) => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' })
    await dialog.getByLabel(/^Type your username/).fill(typed)
    await dialog.getByRole('textbox', { name: 'Current password' }).fill(password)
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    return dialog
  }
  const dialog = await remove(page, 'somebody')
  await dialog.getByText('This is not your username').waitFor()
  await fitsWidth(t, page, 'the dialog for deleting the account')
  await accessible(t, page, 'the dialog for deleting the account')
  await dialog.getByLabel(/^Type your username/).fill(name)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await page.waitForURL('/')
  t.equal((await page.request.post('/api/auth/signIn', { data: { username: name, password } })).status(), 401)

  await admin.page.setViewportSize({ width: 360, height: 740 })
  await admin.page.goto('/admin/users')
  await admin.page.getByRole('button', { name: 'Edit moving' }).waitFor()
  await fitsWidth(t, admin.page, 'the users')
  await accessible(t, admin.page, 'the users on a phone')
  await admin.page.goto('/account')
  await (await remove(admin.page, 'alice')).getByText("The last administrator can't be deleted or demoted").waitFor()
})
