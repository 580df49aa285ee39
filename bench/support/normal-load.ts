import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE = 25 // ms between two requests of a lane
const agent = new Agent({ keepAlive: true })

/** A process of its own, so that the times it takes are not those of the attacking process: asks for each URL in turn, again and again. */
const { urls, cookie } = JSON.parse(process.argv[2]!) as { urls: string[]; cookie: string }
let times: number[] = []
let refused: string[] = []

for (const url of urls) lane(url)
process.on('message', () => {
  process.send!({ times, refused })
  times = []
  refused = []
})
process.on('disconnect', () => process.exit())

async function lane(url: string): Promise<never> {
  for (;;) {
    const begun = performance.now()
    const status = await ask(url)
    times.push(performance.now() - begun)
    if (status !== '200') refused.push(`${status} ${new URL(url).pathname}`)
    await sleep(PAUSE)
  }
}

function ask(url: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = get(url, { agent, headers: { cookie } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(String(answer.statusCode)))
      answer.on('error', (error) => resolve(error.message))
    })
    sent.on('error', (error) => resolve(error.message))
  })
}
