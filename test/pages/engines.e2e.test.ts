import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startServer } from '../support/app/server.ts'
import { eventually } from '../support/app/worker.ts'
import { engines } from '../support/browser/engines.ts'
import { localFiles } from '../support/browser/journeys.ts'
import { DrivenPage } from '../support/browser/webdriver.ts'
import { password } from '../support/people/people.ts'
import { codeAt } from '../support/people/totp.ts'
import { temporaryFolder } from '../support/server-program.ts'
import { digestsInZip } from '../support/unzip.ts'

t.setTimeout(300_000) // two browsers and a whole server on a small machine
const { url } = await startServer(t)
await account('admin') // the first account sees the introduction

/** Creates an account. Returns a function that calls the API as its user. */
async function account(username: string) {
  let cookie = ''
  const call = async <T>(path: string, body: object): Promise<T> => {
    const headers = { 'content-type': 'application/json', cookie }
    const response = await fetch(`${url}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    cookie ||= response.headers
      .getSetCookie()
      .map((set) => set.split(';', 1)[0])
      .join('; ')
    return (await response.json()) as T
  }
  await call('auth/signUp', { username, email: `${username}@example.test`, password })
  return call
}

async function signIn(page: DrivenPage, username: string): Promise<void> {
  await page.open('/auth/signIn?redirect=/upload')
  await page.fill('Email address or username', username)
  await page.fill('Password', password)
  await page.click('Sign in')
}

async function signOut(page: DrivenPage): Promise<void> {
  await page.run("return fetch('/api/auth/signOut', { method: 'POST' }).then(({ status }) => status)")
}

/** Chooses a folder of text files as its picker does, which WebDriver can't operate. */
async function chooseFolder(page: DrivenPage, texts: Record<string, string>): Promise<void> {
  const script = `
    const input = document.querySelector('[data-testid=folder]')
    const list = new DataTransfer()
    const files = arguments[0].map(([path, text]) =>
      Object.defineProperty(new File([text], path.split('/').at(-1)), 'webkitRelativePath', { value: path }))
    for (const file of files) list.items.add(file)
    input.files = list.files
    input.dispatchEvent(new Event('change', { bubbles: true }))`
  await page.until('has a picker for folders', "return document.querySelector('[data-testid=folder]') !== null")
  await page.run(script, Object.entries(texts))
}

/** Waits for the end of the upload. Returns the path of the share's page. */
async function finished(page: DrivenPage): Promise<string> {
  await page.shows('Your share is ready')
  return new URL(await page.until<string>('shows the link', "return document.querySelector('.link-text')?.value")).pathname
}

/** Returns the SHA-256 of each file in the zip that the browser has saved. */
async function savedZip(folder: string): Promise<Record<string, string>> {
  const saved = async () => (await readdir(folder)).filter((name) => !name.startsWith('.'))
  await eventually(async () => /^[^,]+\.zip$/.test((await saved()).join()), 'the zip is saved')
  return digestsInZip(join(folder, (await saved())[0]!))
}

/** Records the parts of files that are sent from now on, and holds those after the second back. */
const recordParts = (isHeld: boolean) => `
  window.sentParts = []
  const { open, send } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.open = function (method, url) {
    this.part = Number(/parts.(\\d+)$/.exec(url)?.[1])
    open.apply(this, arguments)
  }
  XMLHttpRequest.prototype.send = function () {
    if (${isHeld} && this.part > 2) return
    this.addEventListener('load', () => window.sentParts.push(this.part))
    send.apply(this, arguments)
  }`

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

for (const engine of engines) {
  t.test(`works in ${engine.name}`, { skip: engine.missing ?? false }, async (t) => {
    const downloads = await temporaryFolder(t, 'downloads')
    const page = new DrivenPage(await engine.start(t, downloads), url)
    const user = engine.name.toLowerCase()
    const call = await account(user)
    let secret = ''

    t.test('uploads a folder with a password, and a visitor downloads the same bytes as a zip', async (t) => {
      const texts = { 'trip/notes.txt': 'Notes', 'trip/deep/Grüße; 100% (1).txt': 'Grüße', 'trip/deep/empty.txt': '' }
      await signIn(page, user)
      await chooseFolder(page, texts)
      await page.shows('3 files chosen')
      await page.fill('Title', 'The trip')
      await page.fill('Password', 'open sesame')
      await page.click('Upload and share')
      const path = await finished(page)
      await signOut(page)
      await page.open(path)
      await page.fill('Password', 'guess')
      await page.click('Open')
      await page.shows('Invalid password')
      await page.fill('Password', 'open sesame')
      await page.click('Open')
      await page.shows('The trip')
      await page.click('trip')
      await page.click('notes.txt')
      await page.shows('Notes')
      await page.click('Close')
      await page.click('Download all')
      t.same(await savedZip(downloads), Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, sha256(text)])))
    })

    t.test('signs in with a second factor', async () => {
      secret = (await call<{ totpSecret: string }>('auth/totp/enable', { password })).totpSecret
      await call('auth/totp/verify', { code: codeAt(secret, new Date()), password })
      await signIn(page, user)
      await page.fill('Code', codeAt(secret, new Date(), 1)) // the current code has been used
      await page.click('Sign in')
      await page.shows('Drop your files')
    })

    t.test('resumes an upload after a reload', async (t) => {
      const [file] = localFiles(t, { 'film.bin': 40_000_000 })
      await page.run(recordParts(true))
      await page.choose('files', [file!.path])
      await page.click('Upload and share')
      await page.until('sends two parts', 'return window.sentParts.length === 2')
      await page.reload()
      await page.shows('An upload was interrupted')
      await page.run(recordParts(false))
      await page.choose('files', [file!.path])
      const id = (await finished(page)).split('/').at(-1)
      t.same((await page.run<number[]>('return window.sentParts')).sort(), [3, 4, 5], 'uploaded parts are not sent again')
      const fileId = await page.run<string>(
        `return fetch('/api/shares/${id}').then((share) => share.json()).then(({ files }) => files[0].id)`,
      )
      const bytes = await (await fetch(`${url}/api/shares/${id}/files/${fileId}`)).arrayBuffer()
      t.equal(createHash('sha256').update(Buffer.from(bytes)).digest('hex'), file!.digest)
    })

    t.test('encrypts a share, and decrypts it for a visitor with the whole link', async (t) => {
      await page.open('/upload')
      await chooseFolder(page, { 'secret/plan.txt': 'The plan' })
      await page.check('End-to-end encryption')
      await page.click('Upload and share')
      await page.shows('Your share is ready')
      const link = await page.until<string>('shows the key', "return /.*#k=.*/.exec(document.querySelector('.link-text')?.value)?.[0]")
      await signOut(page)
      await page.open(link.slice(url.length))
      await page.click('secret')
      await page.click('plan.txt')
      await page.shows('The plan')
      await page.click('Close')
      const fetched = `return fetch(document.querySelector('[aria-label="Download plan.txt"]').href).then((response) => response.text())`
      t.equal(await page.run(fetched), 'The plan', 'the service worker decrypts downloads')
    })

    t.test('sends files through an upload link', async () => {
      const link = {
        token: `to-${user}`,
        shareExpiration: '1-day',
        maxShareSize: '100000000',
        maxUseCount: 1,
        sendEmailNotification: false,
      }
      await call('reverseShares', { ...link, simplified: true })
      await signOut(page)
      await page.open(`/upload/to-${user}`)
      await page.choose(
        'files',
        localFiles(t, { 'invoice.pdf': 1000 }).map(({ path }) => path),
      )
      await page.click('Send')
      await page.shows('Thank you!')
      await page.shows(`Your file was delivered to ${user}.`)
    })
  })
}
