import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fill, MiB, newShare } from '../support/api.ts'
import { type Figure, median, seconds } from '../support/figures.ts'
import { openGokapi, type Peer, startCopyparty, startDufs, startPlik } from '../support/peers.ts'
import { memoryOf } from '../support/processes.ts'
import { scratch, startServer } from '../support/server.ts'
import { byPage } from './small-files.ts'

const SIZE = 256 * MiB
const SMALL = 500 // files of 4 KiB
const ROUNDS = 3

type Measure = 'up' | 'down' | 'small'

/** Each peer is started from the program that an environment variable names. */
const peers: [name: string, variable: string, start: (command: string) => Promise<Peer>][] = [
  ['Plik', 'PLIK', startPlik],
  ['copyparty', 'COPYPARTY', startCopyparty],
  ['dufs', 'DUFS', startDufs],
  ['Gokapi', 'GOKAPI_URL', openGokapi],
]

/**
 * Measures Razorbill and other file servers on this machine: a file of 256 MiB up and down, and 500
 * files of 4 KiB up, each with its own protocol. The figures are medians of three rounds in turn.
 * Then it measures each one's memory, and how long it takes to start again.
 */
export async function peersScenario(): Promise<Figure[]> {
  const figures: Figure[] = []
  const running = [await razorbill()]
  for (const [name, variable, start] of peers) {
    const program = process.env[variable]
    if (program) running.push(await start(program))
    else figures.push({ what: name, value: `not measured: set ${variable}`, target: 'none', met: true })
  }
  const [large, small] = [await zeros(SIZE), await zeros(4096)]
  const rates = running.map((peer) => ({ peer, measured: { up: [], down: [], small: [] } as Record<Measure, number[]> }))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { peer, measured } of rates) {
      const found = await oneRound(peer, round, { large, small })
      if (round === 0) continue // to warm up
      for (const what of ['up', 'down', 'small'] as const) measured[what].push(found[what])
    }
  }
  for (const { peer, measured } of rates) {
    const [up, down, few] = [measured.up, measured.down, measured.small].map((values) => median(values).toFixed())
    const value = `${up} MB/s up, ${down} MB/s down, ${few} files of 4 KiB a second`
    figures.push({ what: peer.name, value: `${value}${await footprint(peer)}`, target: 'none', met: true })
  }
  return figures
}

async function oneRound(peer: Peer, round: number, { large, small }: { large: Blob; small: Blob }): Promise<Record<Measure, number>> {
  let url = ''
  const upload = async () => {
    url = await peer.upload(large, `large ${round}.bin`)
  }
  const up = SIZE / 1e6 / (await seconds(upload))
  const down = SIZE / 1e6 / (await seconds(() => download(url, peer.headers)))
  const few = SMALL / (await seconds(() => (peer.uploadSmall ? peer.uploadSmall() : oneByOne(peer, small, round))))
  return { up, down, small: few }
}

/** Returns the private memory of the peer's processes after the rounds, and the time of a start. */
async function footprint({ program }: Peer): Promise<string> {
  if (!program) return ''
  const { server, postgres, programs } = memoryOf(program.pid())
  return `, ${(server + postgres + programs).toFixed()} MB, starts in ${(await program.restart()).toFixed(2)} s`
}

async function zeros(size: number): Promise<Blob> {
  const path = join(await scratch(), 'file')
  await writeFile(path, Buffer.alloc(size, 0x5a))
  return openAsBlob(path)
}

async function download(url: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, { headers })
  let received = 0
  for await (const chunk of response.body ?? []) received += (chunk as Uint8Array).length
  if (!response.ok || received < SIZE) throw new Error(`${url} responded with ${response.status} and ${received} bytes`)
}

async function oneByOne(peer: Peer, small: Blob, round: number): Promise<void> {
  let next = 0
  const run = async () => {
    for (let n = next++; n < SMALL; n = next++) await peer.upload(small, `small ${round} ${n}.txt`)
  }
  await Promise.all([run(), run(), run(), run()])
}

async function razorbill(): Promise<Peer> {
  let server = await startServer()
  const { cookie, dataDir } = server
  const send = byPage(true)
  return {
    name: 'Razorbill',
    async upload(file) {
      const share = await newShare(server)
      const [id] = await fill(server, share, [file.size])
      return `${server.url}/api/shares/${share}/files/${id}`
    },
    uploadSmall: () => send(server, SMALL),
    headers: { cookie },
    program: {
      pid: () => server.pid,
      async restart() {
        await server.stop()
        return seconds(async () => {
          server = await startServer(dataDir)
        })
      },
    },
  }
}
