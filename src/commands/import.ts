import { parseArgs } from 'node:util'
import type { Context } from '../context.ts'
import { StartError } from '../errors.ts'
import { applyPlan, type Progress } from '../import/core/apply.ts'
import { type ImportOptions, planImport } from '../import/core/plan.ts'
import { withImportLock } from '../import/core/queries.ts'
import { amountOf, list, reportOf } from '../import/core/report.ts'
import type { Source } from '../import/core/source.ts'
import { isProduct, type Paths, type Product, products, readSource } from '../import/products.ts'
import { openCommandContext } from './command-context.ts'
import { runCommand } from './run-command.ts'

const usage = `Usage: npm run import -- <${products.join('|')}> <data folder or database> [options]

Shows what would be imported. It can be stopped and run again, and never replaces existing data.

  --apply           import it
  --files <folder>  where this product's files are, if they are not in the data folder
  --same-names      an account here with the same name gets the shares, also without a common email address`
const progressInterval = 10_000 // ms

interface Arguments extends Paths, ImportOptions {
  product: Product
  apply: boolean
}

function parse(args: string[]): Arguments | null {
  try {
    const options = { apply: { type: 'boolean' }, 'same-names': { type: 'boolean' }, files: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [product, data, ...rest] = positionals
    if (!product || !isProduct(product) || !data || rest.length > 0) return null
    return { product, data, files: values.files ?? null, apply: values.apply === true, sameNames: values['same-names'] === true }
  } catch {
    return null
  }
}

async function importFrom(ctx: Context, source: Source, { apply, sameNames }: Arguments): Promise<true> {
  const plan = await planImport(ctx, source, { sameNames })
  console.log(reportOf(plan, source.neverImported))
  if (!apply) {
    console.log('\nThis was a dry run: nothing was changed. Use --apply to import.')
    return true
  }
  const conflicts = await applyPlan(ctx, plan, printProgress())
  console.log([...list('Not imported because of a conflict:', conflicts), '', 'Done.'].join('\n'))
  return true
}

function printProgress(): Progress {
  let [bytes, printedAt, position] = [0, Date.now(), '0']
  const print = () => {
    if (Date.now() - printedAt < progressInterval) return
    printedAt = Date.now()
    console.log(`${position} shares, ${amountOf(bytes)}`)
  }
  return {
    share(done, total) {
      position = `${done} of ${total}`
      print()
    },
    bytes(count) {
      bytes += count
      print()
    },
  }
}

/**
 * Imports another product's data: `npm run import -- pingvin /srv/pingvin/data --apply`.
 * Works whether the server runs or not.
 */
await runCommand({
  name: 'import',
  level: 'warn',
  usage,
  parse,
  async run(parsed, { env, log, closing }) {
    const source = await readSource(parsed.product, parsed)
    closing.add('source', async () => source.close?.())
    const ctx = await openCommandContext('import', env, log, closing)
    const done = await withImportLock(ctx.db, () => importFrom(ctx, source, parsed))
    if (done === null) throw new StartError('Another import is running.')
  },
})
