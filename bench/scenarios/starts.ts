import { below, type Figure, median, seconds } from '../support/figures.ts'
import { cpuOf } from '../support/processes.ts'
import { scratch, startServer } from '../support/server.ts'

const repeats = 5

interface Start {
  /** Seconds from the command to the first page. */
  time: number
  /** CPU seconds of the server's process until then. */
  cpu: number
}

/**
 * Measures the time from the command to the first page, with an empty and with an existing data
 * folder. The build of the pages is timed separately. Other work on the machine changes the time
 * more than the CPU seconds.
 */
export async function starts(): Promise<Figure[]> {
  const dataDir = await scratch()
  const cold = await start(dataDir)
  const warm: Start[] = []
  for (let repeat = 0; repeat < repeats; repeat++) warm.push(await start(dataDir))
  const cpu = median(warm.map(({ cpu }) => cpu))
  return [
    below('start with an empty data folder to the first page', cold.time, 5, 's', `${cold.cpu.toFixed(2)} s of CPU without PostgreSQL`),
    below('start again to the first page', median(warm.map(({ time }) => time)), 0.8, 's', `median of ${repeats}`),
    below('CPU of a start with existing data', cpu, 0.9, 's', 'without PostgreSQL'),
  ]
}

async function start(dataDir: string): Promise<Start> {
  let stop = async () => {}
  let pid = 0
  const time = await seconds(async () => {
    const server = await startServer(dataDir)
    ;({ stop, pid } = server)
    const page = await fetch(server.url)
    if (!page.ok) throw new Error(`the page answered ${page.status}`)
    await page.text()
  })
  const cpu = cpuOf(pid)
  await stop()
  return { time, cpu }
}
