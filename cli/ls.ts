import { accountInUse } from './account.ts'
import { usage } from './failure.ts'
import type { Output } from './output.ts'
import { Server } from './server.ts'
import { expiryText, plain, sizeText, table } from './texts.ts'

/** `razorbill ls`: lists the user's shares, the newest first. */
export async function ls(positionals: readonly string[], output: Output): Promise<void> {
  if (positionals.length > 0) throw usage('razorbill ls takes no arguments.')
  const shares = await new Server(accountInUse()).call('GET /api/shares', { querystring: {} })
  const rows = shares.map(({ id, name, fileCount, size, views, expiration, security }) => [
    id,
    plain(name ?? ''),
    String(fileCount),
    sizeText(size),
    security.maxViews === null ? String(views) : `${views}/${security.maxViews}`,
    expiryText(expiration),
  ])
  const head = ['ID', 'NAME', 'FILES', 'SIZE', 'VIEWS', 'EXPIRES']
  output.result(rows.length > 0 ? table([head, ...rows]) : [], shares)
  if (rows.length === 0) output.note('You have no shares.')
}
