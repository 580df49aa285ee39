import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { downloads } from './scenarios/downloads.ts'
import { hostile } from './scenarios/hostile.ts'
import { memory } from './scenarios/memory.ts'
import { replicas } from './scenarios/replicas.ts'
import { s3 } from './scenarios/s3.ts'
import { sharePage } from './scenarios/share-page.ts'
import { starts } from './scenarios/starts.ts'
import { uploads } from './scenarios/uploads.ts'
import { weight } from './scenarios/weight.ts'
import { zips } from './scenarios/zips.ts'
import { closeAll } from './support/closing.ts'
import type { Figure } from './support/figures.ts'

// Each figure is measured in this run, on this machine: a speed beside its ceiling, in turn, as the ratio of their medians.
const scenarios: Record<string, () => Promise<Figure[]>> = {
  weight,
  starts,
  uploads,
  downloads,
  zips,
  sharePage,
  memory,
  s3,
  replicas,
  hostile,
}

const { positionals } = parseArgs({ allowPositionals: true })
const unknown = positionals.filter((name) => !(name in scenarios))
if (unknown.length > 0) {
  console.error(`There is no benchmark called ${unknown.join(', ')}. There are: ${Object.keys(scenarios).join(', ')}.`)
  process.exit(1)
}

console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
let missed = 0
for (const name of positionals.length > 0 ? positionals : Object.keys(scenarios)) {
  console.log(`\n${name}`)
  try {
    for (const figure of await scenarios[name]!()) {
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
