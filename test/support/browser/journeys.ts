import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Locator, Page } from 'playwright'
import type { Test } from 'tap'

export interface LocalFile {
  path: string
  name: string
  /** SHA-256. */
  digest: string
}

/**
 * Creates files on this machine, as `{ name: size }` with random bytes, or `{ name: bytes }`. They
 * are deleted after the test.
 */
export function localFiles(t: Test, contents: Record<string, number | Buffer>): LocalFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'rb-files-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return Object.entries(contents).map(([name, content]) => {
    const bytes = typeof content === 'number' ? randomBytes(content) : content
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return { path, name, digest: createHash('sha256').update(bytes).digest('hex') }
  })
}

/** SHA-256 of a file on this machine. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

/** Creates an account through the API, and opens the upload page. */
export async function arrive(page: Page, username: string): Promise<void> {
  const account = { username, email: `${username}@example.test`, password: 'correct horse battery' }
  const answer = await page.request.post('/api/auth/signUp', { data: account })
  if (!answer.ok()) throw new Error(`No account: ${await answer.text()}`)
  await page.goto('/upload')
  await page.getByRole('heading', { name: /^(Drop|Share) your files/ }).waitFor()
}

/** Creates an upload link of the signed-in user through the API. Returns its path. */
export async function makeLink(page: Page, token: string, more: object = {}): Promise<string> {
  const data = { token, shareExpiration: '1-day', maxShareSize: '100000000', maxUseCount: 1, sendEmailNotification: false, ...more }
  const answer = await page.request.post('/api/reverseShares', { data })
  if (!answer.ok()) throw new Error(`No link: ${await answer.text()}`)
  return `/upload/${token}`
}

/** Creates an account through the UI, and ends on the upload page. */
export async function signUp(page: Page, username: string): Promise<void> {
  await page.goto('/auth/signUp')
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Email address').fill(`${username}@example.test`)
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.waitForURL((url) => url.pathname !== '/auth/signUp')
  await page.goto('/upload') // the first user sees the introduction before
  await page.getByRole('heading', { name: /^(Drop|Share) your files/ }).waitFor()
}

/** Selects files with the file picker. */
export async function pick(page: Page, files: readonly LocalFile[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /^(Choose|Add) files$/ }).click()
  await (await chooser).setFiles(files.map(({ path }) => path))
}

interface ShareWishes {
  link?: string
  name?: string
  password?: string
  maxViews?: number
}

/** Fills in the form beside the chosen files and starts the upload. */
export async function createShare(page: Page, { link, name, password, maxViews }: ShareWishes = {}): Promise<void> {
  await page.getByRole('button', { name: 'Upload and share' }).waitFor()
  if (name) await page.getByLabel('Title', { exact: true }).fill(name)
  if (password) await page.getByRole('textbox', { name: 'Password' }).fill(password)
  if (link || maxViews) await showMore(page)
  if (link) await page.getByLabel('Link', { exact: true }).fill(link)
  if (maxViews) await page.getByLabel('Visit limit').fill(String(maxViews))
  await page.getByRole('button', { name: 'Upload and share' }).click()
}

/** Opens the rarely used fields of a new share. */
export async function showMore(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More options' })
  if ((await more.getAttribute('aria-expanded')) !== 'true') await more.click()
  await page.getByLabel('Visit limit').waitFor()
}

/** Waits for the end of the upload. Returns the path of the share's page. */
export async function finished(page: Page): Promise<string> {
  await page.getByRole('heading', { name: 'Your share is ready' }).waitFor({ timeout: 90_000 })
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  return new URL(link).pathname
}

/** Clicks a download link. Returns the path of the saved file. */
export async function download(page: Page, name: string): Promise<string> {
  const begun = page.waitForEvent('download')
  await page.getByRole('link', { name }).click()
  return (await begun).path()
}

/** Fills in a field and presses Enter. */
export async function enter(field: Locator, text: string): Promise<void> {
  await field.fill(text)
  await field.press('Enter')
}

/** Creates a share of small files through the API. */
export async function createShareRow(
  { request }: BrowserContext,
  id: string,
  files: Record<string, string | Buffer>,
  more: object = {},
): Promise<void> {
  const post = async (path: string, data?: object) => {
    const answer = await request.post(`/api/shares${path}`, { data })
    if (!answer.ok()) throw new Error(await answer.text())
    return answer.json()
  }
  await post('', { id, expiration: '7-days', ...more })
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const { id: fileId } = await post(`/${id}/files`, { name, size: bytes.length })
    const headers = { 'content-type': 'application/octet-stream' }
    if (bytes.length > 0) await request.put(`/api/shares/${id}/files/${fileId}/parts/1`, { data: bytes, headers })
    await post(`/${id}/files/${fileId}/complete`)
  }
  await post(`/${id}/complete`)
}

/**
 * Opens a share, and waits until its page reacts: before that, the link of a file leads to the file
 * itself.
 */
export async function openShare(page: Page, id: string): Promise<void> {
  await page.goto(`/share/${id}`)
  await page.locator('.select-button:enabled').waitFor()
}

/** Opens the page for editing a share. */
export async function edit(page: Page, id: string): Promise<void> {
  await page.goto(`/share/${id}/edit`)
  await page.getByRole('heading', { name: /^Edit/ }).waitFor()
}

/** Saves the edits, and waits until that is done. */
export async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Changes go live when you save.').waitFor()
}

/** The names of the files that a page of a share lists. */
export async function listed(page: Page): Promise<string[]> {
  await page.getByRole('table').waitFor()
  return page.locator('.file-link').allInnerTexts()
}
