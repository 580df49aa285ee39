import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE = 25 // ms between two requests of one URL
const agent = new Agent({ keepAlive: true })

/**
 * Requests each URL repeatedly, in a separate process, so that the attacking process does not
 * affect the measured times.
 */
const { urls, cookie } = JSON.parse(process.argv[2]!) as { urls: string[]; cookie: string }
let times: number[] = []
let refused: string[] = []

for (const url of urls) requestRepeatedly(url)
process.on('message', () => {
  process.send!({ times, refused })
  times = []
  refused = []
})
process.on('disconnect', () => process.exit())

async function requestRepeatedly(url: string): Promise<never> {
  for (;;) {
    const start = performance.now()
    const status = await statusOf(url)
    times.push(performance.now() - start)
    if (status !== '200') refused.push(`${status} ${new URL(url).pathname}`)
    await sleep(PAUSE)
  }
}

function statusOf(url: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = get(url, { agent, headers: { cookie } }, (response) => {
      response.resume()
      response.on('end', () => resolve(String(response.statusCode)))
      response.on('error', (error) => resolve(error.message))
    })
    sent.on('error', (error) => resolve(error.message))
  })
}
