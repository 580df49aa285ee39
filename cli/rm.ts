import { accountInUse } from './account.ts'
import { askOnce } from './ask.ts'
import { Failure, usage } from './failure.ts'
import { idOn } from './link.ts'
import type { RmOptions } from './options.ts'
import type { Output } from './output.ts'
import { Server } from './server.ts'
import { plural } from './texts.ts'

/**
 * `razorbill rm`: deletes shares. It tries all of them and reports the first failure at the end.
 */
export async function rm(positionals: readonly string[], { yes }: RmOptions, output: Output): Promise<void> {
  if (positionals.length === 0) throw usage('Which shares? razorbill rm LINK…')
  const account = accountInUse()
  const ids = positionals.map((text) => idOn(account.url, text))
  if (!yes && !(await confirmed(ids))) return output.note('Nothing was deleted.')
  const server = new Server(account)
  const deleted: string[] = []
  let failure: Failure | null = null
  for (const id of ids) {
    try {
      await server.call('DELETE /api/shares/:id', { params: { id } })
      deleted.push(id)
      output.note(`Deleted: ${id}`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      failure ??= new Failure(error.ending, error.code, `${id}: ${error.message}`, { id, deleted })
    }
  }
  if (failure) throw failure
  output.result([], { deleted })
}

async function confirmed(ids: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY) throw usage('This is not a terminal: confirm with --yes.')
  return /^y(es)?$/i.test(
    await askOnce((prompt) => prompt.ask(`Delete ${plural(ids.length, 'share')} (${ids.join(', ')})? This can't be undone. [y/N] `)),
  )
}
