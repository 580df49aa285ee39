import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright'
import type { Test } from 'tap'

export const browserArgs = ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-dev-shm-usage']
const install = 'sudo apt-get install -y chromium-headless-shell   # or: npx playwright install --with-deps chromium'
/** The first draws no window of its own, so that a page takes a quarter of the processor's time. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Starts a Chromium for one test file and closes it at the end. */
export async function openBrowser(t: Test): Promise<Browser> {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' } // without a locale, Chromium accepts only ASCII file names
  const browser = await chromium.launch({ executablePath: browserPath(), args: browserArgs, env })
  t.teardown(() => browser.close())
  return browser
}

/**
 * Opens a browser profile with its own cookies and storage. Errors thrown in its pages fail the
 * test.
 */
export async function visitor(t: Test, browser: Browser, baseURL: string, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL,
    locale: 'en-US',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'block', // its own tests allow it
    ...options,
  })
  context.setDefaultTimeout(60_000)
  context.on('weberror', (error) => t.fail(`the page threw: ${error.error().stack}`))
  return context
}

/** Fails for serious and critical findings of axe (WCAG 2.2 AA) on the page as it is now. */
export async function accessible(t: Test, page: Page, name: string): Promise<void> {
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    .map(({ finished }) => finished.catch(() => {})))`)
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode() // without a second page for every check, which takes seconds; it skips only frames of other origins
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  t.same(
    serious.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ target }) => target.join(' ')) })),
    [],
    `${name} is accessible`,
  )
}

/** Fails if the page scrolls sideways, also two seconds after its window was resized. */
export async function fitsWidth(t: Test, page: Page, name: string): Promise<void> {
  const widths = () => page.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]')
  let [content, window] = await widths()
  for (let tries = 0; content > window && tries < 20; tries++) {
    await page.waitForTimeout(100)
    ;[content, window] = await widths()
  }
  t.ok(content <= window, `${name} fits ${window} pixels (its content is ${content} wide)`)
}

/**
 * Returns the path of Chromium on this machine. Throws an error with the install command when it is
 * missing.
 */
export function browserPath(): string {
  const named = process.env.CHROMIUM_PATH
  if (named) return named
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  const installed = programs.flatMap((name) => folders.map((folder) => join(folder, name)))
  const found = [...installed, chromium.executablePath()].find((path) => path && existsSync(path))
  if (!found) throw new Error(`The browser tests need Chromium. Install it with:\n  ${install}\nor set CHROMIUM_PATH.`)
  return found
}
