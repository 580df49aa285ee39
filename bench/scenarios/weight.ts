import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright'
import { browserPath } from '../../test/support/browser/browser.ts'
import { fill, newShare } from '../support/api.ts'
import { below, type Figure } from '../support/figures.ts'
import { cpuOf } from '../support/processes.ts'
import { type Server, startServer } from '../support/server.ts'

const files = 100
const requests = 300

/**
 * Measures the gzipped JavaScript of a first visit to a share page, and what rendering the page
 * costs the server.
 */
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
    return [
      below('JavaScript of the share page on the first visit, gzipped', bytes / 1000, 200, 'kB'),
      below(`rendering the page of a share of ${files} files`, await renderingTime(server), 10, 'ms'),
    ]
  } finally {
    await browser.close()
  }
}

/**
 * Returns the additional CPU milliseconds of a share page that the server renders, compared to
 * sending only the shell.
 */
async function renderingTime(server: Server): Promise<number> {
  const share = await newShare(server)
  await fill(server, share, Array(files).fill(1))
  const url = `${server.url}/share/${share}?folder=folder`
  const measure = async (headers: Record<string, string>) => {
    const used = cpuOf(server.pid)
    for (let request = 0; request < requests; request++) {
      const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage]
      await response.toArray()
    }
    return ((cpuOf(server.pid) - used) * 1000) / requests
  }
  const rendered = () => measure({ accept: 'text/html', 'sec-fetch-mode': 'navigate' })
  await rendered()
  return (await rendered()) - (await measure({ accept: 'text/html' }))
}
