import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, fillWith, newShare } from '../support/api.ts'
import { below, type Figure, ratio, seconds } from '../support/figures.ts'
import { processesNamed, residentOf } from '../support/processes.ts'
import { type Server, scratch, startServer } from '../support/server.ts'

const COUNT = 20
const LONGEST = 120_000 // ms

/**
 * Measures the previews of photos of 12 megapixels from the end of the upload on, against the
 * program alone, and the memory of the programs.
 */
export async function previews(): Promise<Figure[]> {
  const folder = await scratch()
  const photo = makePhoto(folder)
  const server = await startServer()
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, residentOfPrograms())
  }, 50)
  const ours = async () => {
    const share = await shareOf(server, photo)
    return COUNT / (await seconds(() => allMade(server, share)))
  }
  const alone = async () => 1 / (await seconds(async () => shrink(folder)))
  try {
    const speed = await ratio('previews of photos of 12 megapixels, to vipsthumbnail alone', 0.5, 'images/s', ours, alone, 2)
    return [speed, below('resident memory of the programs', peak, 300, 'MB')]
  } finally {
    clearInterval(watch)
  }
}

/** Writes a JPEG of 4000 × 3000 pixels with much detail, and returns its bytes. */
function makePhoto(folder: string): Buffer {
  const vips = (...args: string[]) => execFileSync('vips', args, { cwd: folder })
  for (const band of ['1', '2', '3']) {
    vips('gaussnoise', `noise${band}.v`, '4000', '3000', '--mean', '128', '--sigma', '90', '--seed', band)
    vips('gaussblur', `noise${band}.v`, `soft${band}.v`, '1.5')
  }
  vips('bandjoin', 'soft1.v soft2.v soft3.v', 'color.v')
  vips('copy', 'color.v', 'rgb.v', '--interpretation', 'srgb')
  vips('cast', 'rgb.v', 'photo.jpg[Q=85]', 'uchar')
  return readFileSync(join(folder, 'photo.jpg'))
}

function shrink(folder: string): void {
  for (const [from, size, to] of [
    ['photo.jpg', '1600x1600>', 'large.webp[Q=80,strip]'],
    ['large.webp', '400x400>', 'small.webp[Q=75,strip]'],
  ] as const)
    execFileSync('vipsthumbnail', [from, '--size', size, '-o', to], { cwd: folder, env: { ...process.env, VIPS_CONCURRENCY: '1' } })
}

async function shareOf(server: Server, photo: Buffer): Promise<string> {
  const share = await newShare(server)
  const names = Array.from({ length: COUNT }, (_, n) => `${n}.jpg`)
  await fillWith(server, share, names, photo)
  return share
}

async function allMade(server: Server, share: string): Promise<void> {
  for (const end = performance.now() + LONGEST; performance.now() < end; await sleep(50)) {
    const { files } = await call<{ files: { preview?: object }[] }>(server, 'GET', `/shares/${share}/from-owner`)
    if (files.every(({ preview }) => preview)) return
  }
  throw new Error('previews were not made; is libvips-tools installed?')
}

/** Returns the resident memory in MB of all programs that make previews. */
function residentOfPrograms(): number {
  return processesNamed(/^(vips|ffmpeg|pdftoppm)/).reduce((sum, pid) => sum + residentOf(pid), 0)
}
