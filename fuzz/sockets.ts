import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { announce, fill, newAccount, newShare } from '../bench/support/api.ts'
import type { Server } from '../bench/support/server.ts'
import { makeCase, type Target } from './cases.ts'
import { exchange } from './exchange.ts'
import { caseSeed, randomOf } from './random.ts'

const LANES = 8
const RENEW = 2000 // cases until new shares are created: fuzzed calls complete, fill and lock them
const EXPECTED = [503, 507] // busy, and no space

const kept = JSON.parse(readFileSync(new URL('./seeds.json', import.meta.url), 'utf8')) as number[]

/**
 * Sends cases over sockets until the time is over, those of the stored seeds first; returns their
 * number and a sentence per fault.
 */
export async function fuzzSockets(
  server: Server,
  token: string,
  seed: number,
  seconds: number,
): Promise<{ sent: number; faults: string[] }> {
  const faults: string[] = []
  let sent = 0
  let target = await renewed(server, token)
  const until = performance.now() + seconds * 1000
  const lane = async () => {
    while (faults.length < 20 && (performance.now() < until || sent < kept.length)) {
      const number = sent++
      if (number % RENEW === RENEW - 1) target = await renewed(server, token)
      const ofCase = kept[number] ?? caseSeed(seed, number)
      const bytes = makeCase(randomOf(ofCase), target, address(number))
      const { statuses, hung, refused } = await exchange(server.port, bytes)
      const failed = statuses.find((status) => status >= 500 && !EXPECTED.includes(status))
      const fault = failed ?? (hung ? 'no response' : refused ? 'connection refused' : null)
      if (fault !== null)
        faults.push(`${fault} after the case of seed ${ofCase}: ${JSON.stringify(bytes.toString('latin1').slice(0, 400))}`)
      if (refused) return
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return { sent, faults }
}

/** Returns an address for each case, so that limits per address do not refuse most of them. */
const address = (number: number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`

/** Returns shares of a new account, as the cases before may have opened as many as one may have. */
async function renewed(administered: Server, token: string): Promise<Target> {
  const server = await newAccount(administered, `fuzz.${randomUUID().slice(0, 8)}`)
  const share = await newShare(server)
  const [file] = await fill(server, share, [5000, 100])
  const open = await newShare(server)
  const { file: announced } = await announce(server, open, 'part.bin', 1000)
  return { share, file: file!, open, announced: announced.id, cookie: server.cookie, token }
}
