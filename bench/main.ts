import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { downloads } from './scenarios/downloads.ts'
import { encryption } from './scenarios/encryption.ts'
import { hostile } from './scenarios/hostile.ts'
import { memory } from './scenarios/memory.ts'
import { peersScenario } from './scenarios/peers.ts'
import { photos } from './scenarios/photos.ts'
import { previews } from './scenarios/previews.ts'
import { replicas } from './scenarios/replicas.ts'
import { s3 } from './scenarios/s3.ts'
import { scale } from './scenarios/scale.ts'
import { sharePage } from './scenarios/share-page.ts'
import { smallFiles } from './scenarios/small-files.ts'
import { starts } from './scenarios/starts.ts'
import { uploads } from './scenarios/uploads.ts'
import { weight } from './scenarios/weight.ts'
import { zips } from './scenarios/zips.ts'
import { closeAll } from './support/closing.ts'
import type { Figure } from './support/figures.ts'

// Each speed is measured in turn with its reference, on this machine; the figure is the ratio of
// their medians.
const scenarios: Record<string, (options: { size: number }) => Promise<Figure[]>> = {
  weight,
  starts,
  uploads,
  'small-files': smallFiles,
  downloads,
  zips,
  previews,
  photos,
  sharePage,
  encryption,
  memory,
  s3,
  replicas,
  peers: peersScenario,
  scale,
  hostile,
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { size: { type: 'string', default: '0.02' } }, // of `scale`
})
const size = Number(values.size)
if (!(size > 0 && size <= 1)) throw new Error('--size must be a number up to 1')
const unknown = positionals.filter((name) => !(name in scenarios))
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Known benchmarks: ${Object.keys(scenarios).join(', ')}.`)
  process.exit(1)
}

console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
let missed = 0
const selected = Object.entries(scenarios).filter(([name]) => positionals.length === 0 || positionals.includes(name))
for (const [name, run] of selected) {
  console.log(`\n${name}`)
  try {
    for (const figure of await run({ size })) {
      if (!figure.met) missed++
      console.log(
        `  ${figure.met ? 'met   ' : 'MISSED'}  ${figure.what}: ${figure.value}  (target ${figure.target})${figure.detail ? `  ${figure.detail}` : ''}`,
      )
    }
  } finally {
    await closeAll()
  }
}
console.log(missed === 0 ? '\nEvery target was met.' : `\n${missed} targets were missed.`)
