import { type Browser, chromium, type Page } from 'playwright'
import { eventually } from '../../test/support/app/worker.ts'
import { browserArgs, browserPath } from '../../test/support/browser/browser.ts'
import { packBody } from '../../test/support/packs.ts'
import { png } from '../../test/support/png.ts'
import { call, newShare } from '../support/api.ts'
import { below, type Figure } from '../support/figures.ts'
import { residentOf } from '../support/processes.ts'
import { type Server, startServer } from '../support/server.ts'

const count = 5_000
const filesOfPack = 50
const scrolling = 8_000 // ms

/**
 * Measures the grid of a share of 5,000 photos in Chromium: the time to its first pictures, and the
 * frames, the longest task and the memory of the tab while it is scrolled from top to bottom.
 */
export async function photos(): Promise<Figure[]> {
  const server = await startServer()
  const share = await albumOf(server)
  const browser = await chromium.launch({ executablePath: browserPath(), args: browserArgs })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const begun = performance.now()
    await page.goto(`${server.url}/share/${share}`)
    await eventually(
      () =>
        page.evaluate<boolean>("[...document.querySelectorAll('.tile-frame img')].filter((image) => image.naturalWidth > 0).length >= 8"),
      'eight pictures are shown',
    )
    const first = performance.now() - begun
    const { frames, longest } = await scrollThrough(page)
    return [
      below('first eight pictures of 5,000 photos', first, 4_000, 'ms'),
      below('longest task while scrolling', longest, 200, 'ms', `${frames.toFixed(0)} frames a second, 650 photos a second`),
      below('memory of the tab after scrolling', await tabMemory(browser), 400, 'MB'),
    ]
  } finally {
    await browser.close()
  }
}

/** Uploads pictures of 17 kB, which is about the size of the thumbnails of photos. */
async function albumOf(server: Server): Promise<string> {
  const share = await newShare(server)
  const bytes = Buffer.from(png(300, 200, (x, y) => (x < 24 ? [x, y, (x * y) % 256, 255] : [90, 120, 160, 255])))
  for (let at = 0; at < count; at += filesOfPack) {
    const files = Array.from({ length: filesOfPack }, (_, index) => ({ name: `IMG_${10_000 + at + index}.png`, bytes }))
    const headers = { cookie: server.cookie, 'content-type': 'application/octet-stream' }
    const response = await fetch(`${server.url}/api/shares/${share}/packs`, {
      method: 'POST',
      headers,
      body: new Uint8Array(packBody(files)),
    })
    if (!response.ok) throw new Error(`The photos were not taken: ${await response.text()}`)
  }
  await call(server, 'POST', `/shares/${share}/complete`)
  return share
}

/** Scrolls to the end. Returns the frames a second, and the milliseconds of the longest task. */
function scrollThrough(page: Page): Promise<{ frames: number; longest: number }> {
  return page.evaluate(`new Promise((resolve) => {
    let frames = 0
    let longest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
    }).observe({ type: 'longtask' })
    const begun = performance.now()
    const tick = (now) => {
      frames++
      const part = (now - begun) / ${scrolling}
      scrollTo(0, document.documentElement.scrollHeight * part)
      if (part < 1) requestAnimationFrame(tick)
      else setTimeout(() => resolve({ frames: frames / (part * ${scrolling / 1000}), longest }), 100)
    }
    requestAnimationFrame(tick)
  })`)
}

/** Returns the memory of the largest renderer in MB. */
async function tabMemory(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const renderers = processInfo.filter(({ type }) => type === 'renderer')
  return Math.max(...renderers.map(({ id }) => residentOf(id)))
}
