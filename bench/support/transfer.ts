import { Agent, request } from 'node:http'

/** One request: `send` bytes are uploaded; the response's bytes are counted and discarded. */
export interface Load {
  method: string
  url: string
  send?: number
  headers?: Record<string, string>
  /** Bytes per second at which the response is read; absent: as fast as possible. */
  slow?: number
}

const block = Buffer.alloc(1_048_576, 0xa5)

/**
 * Runs requests over `connections` kept-alive connections and returns the bytes transferred.
 * @throws Error for an error response
 */
export async function transfer(loads: Load[], connections: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const waiting = [...loads]
  let moved = 0
  const runNext = async () => {
    for (let load = waiting.shift(); load; load = waiting.shift()) moved += await run(load, agent)
  }
  try {
    await Promise.all(Array.from({ length: connections }, runNext))
  } finally {
    agent.destroy()
  }
  return moved
}

function run({ method, url, send = 0, headers, slow }: Load, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, agent, headers: { ...headers, ...(method === 'PUT' && { 'content-length': send }) } },
      (response) => {
        let received = 0
        response.on('error', reject)
        response.on('data', (chunk: Buffer) => {
          received += chunk.length
          if (slow) {
            response.pause()
            setTimeout(() => response.resume(), (chunk.length / slow) * 1000)
          }
        })
        response.on('end', () => {
          const { statusCode = 0 } = response
          if (statusCode >= 200 && statusCode < 300) resolve(send + received)
          else reject(new Error(`${method} ${url} responded with ${statusCode}`))
        })
      },
    )
    sent.on('error', reject)
    const write = (remaining: number): void => {
      if (remaining === 0) sent.end()
      else if (sent.write(block.subarray(0, Math.min(remaining, block.length)))) write(Math.max(0, remaining - block.length))
      else sent.once('drain', () => write(Math.max(0, remaining - block.length)))
    }
    write(send)
  })
}
