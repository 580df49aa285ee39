import { type Browser, chromium } from 'playwright'
import { browserArgs, browserPath } from '../../test/support/browser/browser.ts'
import { png } from '../../test/support/png.ts'
import { fillWith, newShare } from '../support/api.ts'
import { below, type Figure } from '../support/figures.ts'
import { residentOf } from '../support/processes.ts'
import { type Server, startServer } from '../support/server.ts'

const scrolling = 4_000 // ms

/**
 * Measures the grid of a share of 1,000 photos in Chromium: the time to its first pictures, and the
 * memory of the tab and the frames while it is scrolled.
 */
export async function photos(): Promise<Figure[]> {
  const server = await startServer()
  const share = await albumOf(server, 1_000)
  const browser = await chromium.launch({ executablePath: browserPath(), args: browserArgs })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const begun = performance.now()
    await page.goto(`${server.url}/share/${share}`)
    await page.waitForFunction("[...document.querySelectorAll('.tile-frame img')].filter((image) => image.naturalWidth > 0).length >= 8")
    const first = performance.now() - begun
    const rate = await page.evaluate<number>(`new Promise((resolve) => {
      let frames = 0
      const begun = performance.now()
      const tick = (now) => {
        frames++
        scrollBy(0, 60)
        if (now - begun < ${scrolling}) requestAnimationFrame(tick)
        else resolve(frames / ((now - begun) / 1000))
      }
      requestAnimationFrame(tick)
    })`)
    return [
      below('first eight pictures of 1,000 photos', first, 4_000, 'ms', `${rate.toFixed(0)} frames a second while scrolling`),
      below('memory of the tab after scrolling', await tabMemory(browser), 400, 'MB'),
    ]
  } finally {
    await browser.close()
  }
}

async function albumOf(server: Server, count: number): Promise<string> {
  const share = await newShare(server)
  const names = Array.from({ length: count }, (_, index) => `IMG_${10_000 + index}.png`)
  const picture = png(300, 200, (x, y) => [x % 256, y, (x * y) % 256, 255])
  await fillWith(server, share, names, picture)
  return share
}

/** Returns the memory of the largest renderer in MB. */
async function tabMemory(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const renderers = processInfo.filter(({ type }) => type === 'renderer')
  return Math.max(...renderers.map(({ id }) => residentOf(id)))
}
