import type { Page } from 'playwright'

const sizes = [
  { suffix: '', width: 1280, height: 800 },
  { suffix: '-phone', width: 360, height: 740 },
]

/**
 * Returns a function that takes screenshots of a page, on a desktop and a phone, light and dark, if
 * SCREENSHOTS names a folder.
 */
export function screenshots(page: Page): (name: string) => Promise<void> {
  const folder = process.env.SCREENSHOTS
  return async (name) => {
    if (!folder) return
    for (const { suffix, ...size } of sizes) {
      await page.setViewportSize(size)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: `${folder}/${name}${suffix}-${colorScheme}.png`, fullPage: true })
      }
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1280, height: 800 })
  }
}
