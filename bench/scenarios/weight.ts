import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright'
import { browserPath } from '../../test/support/browser.ts'
import { fill, newShare } from '../support/api.ts'
import { below, type Figure } from '../support/figures.ts'
import { startServer } from '../support/server.ts'

/** JavaScript that a first visit of a share page loads, gzipped. */
export async function weight(): Promise<Figure[]> {
  const server = await startServer()
  const share = await newShare(server)
  await fill(server, share, [1000, 2000])
  const browser = await chromium.launch({
    executablePath: browserPath(),
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking'],
  })
  try {
    const page = await browser.newPage()
    const scripts: Promise<number>[] = []
    page.on('response', (answer) => {
      if (answer.request().resourceType() === 'script') scripts.push(answer.body().then((body) => gzipSync(body).length))
    })
    await page.goto(`${server.url}/share/${share}`, { waitUntil: 'networkidle' })
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
    return [below('JavaScript of the share page on the first visit, gzipped', bytes / 1000, 250, 'kB')]
  } finally {
    await browser.close()
  }
}
