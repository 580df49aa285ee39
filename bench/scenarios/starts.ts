import { below, type Figure, seconds } from '../support/figures.ts'
import { scratch, startServer } from '../support/server.ts'

/**
 * Measures the time from the command to the first page, with an empty and with an existing data
 * folder. The build of the pages is timed separately.
 */
export async function starts(): Promise<Figure[]> {
  const dataDir = await scratch()
  const once = () =>
    seconds(async () => {
      const server = await startServer(dataDir)
      const page = await fetch(server.url)
      if (!page.ok) throw new Error(`the page answered ${page.status}`)
      await page.text()
      stop = server.stop
    })
  let stop = async () => {}
  const cold = await once()
  await stop()
  const warm = await once()
  await stop()
  return [below('start with an empty data folder to the first page', cold, 15, 's'), below('start again to the first page', warm, 3, 's')]
}
