import { Agent, request } from 'node:http'

/** One request: `send` bytes go out; the answer's bytes are counted and thrown away. */
export interface Load {
  method: string
  url: string
  send?: number
  headers?: Record<string, string>
  /** Bytes a second at which the answer is read; absent: as fast as it comes. */
  slow?: number
}

const block = Buffer.alloc(1_048_576, 0xa5)

/** Runs requests over `connections` kept-alive connections; answers the bytes moved. Throws when one is refused. */
export async function transfer(loads: Load[], connections: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const waiting = [...loads]
  let moved = 0
  const lane = async () => {
    for (let load = waiting.shift(); load; load = waiting.shift()) moved += await run(load, agent)
  }
  try {
    await Promise.all(Array.from({ length: connections }, lane))
  } finally {
    agent.destroy()
  }
  return moved
}

function run({ method, url, send = 0, headers, slow }: Load, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...headers, ...(method === 'PUT' && { 'content-length': send }) } }, (answer) => {
      let received = 0
      answer.on('error', reject)
      answer.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (slow) {
          answer.pause()
          setTimeout(() => answer.resume(), (chunk.length / slow) * 1000)
        }
      })
      answer.on('end', () => {
        const { statusCode = 0 } = answer
        if (statusCode >= 200 && statusCode < 300) resolve(send + received)
        else reject(new Error(`${method} ${url} answered ${statusCode}`))
      })
    })
    sent.on('error', reject)
    const write = (left: number): void => {
      if (left === 0) sent.end()
      else if (sent.write(block.subarray(0, Math.min(left, block.length)))) write(Math.max(0, left - block.length))
      else sent.once('drain', () => write(Math.max(0, left - block.length)))
    }
    write(send)
  })
}
