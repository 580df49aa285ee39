import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { browserArgs, browserPath } from '../../../test/support/browser/browser.ts'

// Renders the PNG files in web/public from their SVGs. Run it after changing an SVG: node
// web/build/images/draw.ts
const publicFolder = join(import.meta.dirname, '../../public')
const mark = join(publicFolder, 'favicon.svg')
const maskable = join(import.meta.dirname, 'maskable.svg')
const preview = join(import.meta.dirname, 'preview.svg')
const images = [
  { from: mark, to: 'icons/32.png', width: 32 },
  { from: mark, to: 'icons/192.png', width: 192 },
  { from: mark, to: 'icons/512.png', width: 512 },
  { from: maskable, to: 'icons/maskable-512.png', width: 512 },
  { from: maskable, to: 'icons/apple-touch-180.png', width: 180 }, // rounded and filled by iOS itself
  { from: preview, to: 'preview.png', width: 1200, height: 630 },
]

const browser = await chromium.launch({ executablePath: browserPath(), args: browserArgs })
const page = await browser.newPage()
for (const { from, to, width, height = width } of images) {
  await page.setViewportSize({ width, height })
  const svg = readFileSync(from, 'utf8').replace('<svg ', `<svg width="${width}" height="${height}" style="position:fixed;inset:0" `)
  await page.setContent(svg)
  await page.screenshot({ path: join(publicFolder, to), omitBackground: true })
}
await browser.close()
