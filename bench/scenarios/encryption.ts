import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { browserArgs, browserPath } from '../../test/support/browser/browser.ts'
import { createEncryptedShare } from '../../test/support/browser/encrypted-share.ts'
import { createShare, finished, type LocalFile, pick } from '../../test/support/browser/journeys.ts'
import { MiB } from '../support/api.ts'
import { below, type Figure, median, ratio, seconds } from '../support/figures.ts'
import { residentOf } from '../support/processes.ts'
import { administrator, scratch, startServer } from '../support/server.ts'

const GiB = 1024 * MiB
const rounds = 3

/**
 * Measures end-to-end encrypted shares in Chromium: uploads and downloads of 1 GiB beside those of
 * plain shares, a range from the middle, the start of a zip of 1,000 files, and the memory of the
 * tab that encrypts 4 GiB.
 */
export async function encryption(): Promise<Figure[]> {
  const server = await startServer()
  const browser = await chromium.launch({ executablePath: browserPath(), args: browserArgs })
  try {
    const context = await browser.newContext({ baseURL: server.url, acceptDownloads: true })
    await context.request.post('/api/auth/signIn', { data: administrator })
    const file = await fileOf(GiB)
    const links = { plain: '', encrypted: '' }
    const uploading = (kind: keyof typeof links) => async () => {
      const { link, taken } = await upload(context, file, kind === 'encrypted')
      links[kind] = link
      return 1024 / taken
    }
    const figures = [await ratio('encrypted upload of 1 GiB', 0.7, 'MiB/s', uploading('encrypted'), uploading('plain'), rounds)]
    const page = await context.newPage()
    const downloading = (kind: keyof typeof links) => async () => 1024 / (await download(page, links[kind]))
    figures.push(await ratio('encrypted download of 1 GiB', 0.6, 'MiB/s', downloading('encrypted'), downloading('plain'), rounds))
    figures.push(below('range from the middle of 1 GiB, encrypted', await rangeTime(page, links.encrypted), 300, 'ms'))
    figures.push(below('start of the zip of 1,000 encrypted files', await zipStart(context, page), 200, 'ms'))
    figures.push(below('memory of the tab that encrypts 4 GiB', await memoryWhileUploading(browser, context), 300, 'MB'))
    return figures
  } finally {
    await browser.close()
  }
}

/** Creates a file of random bytes, which no disk stores faster than encrypted ones. */
async function fileOf(size: number): Promise<LocalFile> {
  const path = join(await scratch(), 'film.bin')
  const file = await open(path, 'w')
  const block = randomBytes(64 * MiB)
  for (let written = 0; written < size; written += block.length) await file.write(block)
  await file.close()
  return { path, name: 'film.bin', digest: '' }
}

/** Uploads a file on the page. Returns the link, and the seconds from the click to the end. */
async function upload(context: BrowserContext, file: LocalFile, isEncrypted: boolean): Promise<{ link: string; taken: number }> {
  const page = await context.newPage()
  await page.goto('/upload')
  await pick(page, [file])
  await page.getByLabel('End-to-end encryption').setChecked(isEncrypted)
  const taken = await seconds(async () => {
    await createShare(page)
    await finished(page)
  })
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  await page.close()
  return { link, taken }
}

/** Returns the seconds from the click until the file is saved. */
async function download(page: Page, link: string): Promise<number> {
  await page.goto('about:blank')
  await page.goto(link)
  const button = page.getByRole('link', { name: 'Download film.bin' })
  await button.waitFor()
  const begun = page.waitForEvent('download')
  let path = ''
  const taken = await seconds(async () => {
    await button.click()
    path = await (await begun).path()
  })
  await rm(path)
  return taken
}

/** Returns the median of the milliseconds that a range of 64 KiB takes. */
async function rangeTime(page: Page, link: string): Promise<number> {
  await page.goto('about:blank')
  await page.goto(link)
  const address = await page.getByRole('link', { name: 'Download film.bin' }).getAttribute('href')
  const times = await page.evaluate<number[]>(`(async () => {
    const times = []
    for (let start = 300_000_000; times.length < 5; start += 50_000_000) {
      const begun = performance.now()
      const response = await fetch(${JSON.stringify(address)}, { headers: { range: 'bytes=' + start + '-' + (start + 65_535) } })
      if ((await response.arrayBuffer()).byteLength !== 65_536) throw new Error('The range has another length')
      times.push(performance.now() - begun)
    }
    return times
  })()`)
  return median(times)
}

/** Returns the milliseconds from the click until the zip begins to arrive. */
async function zipStart(context: BrowserContext, page: Page): Promise<number> {
  const names = Array.from({ length: 1_000 }, (_, at) => `folder/file ${at}.txt`)
  const files = Object.fromEntries(names.map((name) => [name, new TextEncoder().encode(name)]))
  await page.goto(await createEncryptedShare(context, 'many-files', files))
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = page.waitForEvent('download')
    const taken = await seconds(async () => {
      await page.getByRole('link', { name: 'Download all' }).click()
      await begun
    })
    await (await begun).path()
    times.push(taken * 1000)
  }
  return median(times)
}

/** Returns the highest resident memory of a renderer in MB. */
async function memoryWhileUploading(browser: Browser, context: BrowserContext): Promise<number> {
  const file = await fileOf(4 * GiB)
  const session = await browser.newBrowserCDPSession()
  let highest = 0
  const timer = setInterval(async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    for (const { id, type } of processInfo) if (type === 'renderer') highest = Math.max(highest, residentOf(id))
  }, 500)
  await upload(context, file, true).finally(() => clearInterval(timer))
  return highest
}
