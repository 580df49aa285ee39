import { below, type Figure, seconds } from '../support/figures.ts'
import { scratch, startServer } from '../support/server.ts'

/** From the command to the first page: with an empty data folder and with one that is there. The build of the pages is `npm ci`'s neighbour and timed apart. */
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
