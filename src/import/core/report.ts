import { type Kind, kinds, type Note, type Plan } from './plan.ts'

const linesMax = 1000 // per list

/** Formats a plan for a terminal. */
export function reportOf(plan: Plan, neverImported: string): string {
  const imported: Record<Kind, number> = {
    accounts: plan.users.length,
    'sign-ins elsewhere': plan.links.length,
    'reverse shares': plan.reverseShares.length,
    shares: plan.shares.length,
    settings: plan.settings.length,
  }
  const rows = kinds.map((kind) => [kind, imported[kind], plan.existing[kind], plan.skipped.filter((note) => note.kind === kind).length])
  const table = [['', 'imported', 'already here', 'not imported'], ...rows].map(([head, ...cells]) =>
    [String(head).padEnd(20), ...cells.map((cell) => String(cell).padStart(13))].join(''),
  )
  const files = plan.shares.flatMap((share) => share.files)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return [
    ...table,
    `Files to copy: ${files.length}, ${amountOf(bytes)}`,
    ...list('Not imported:', plan.skipped),
    ...list('Imported with changes:', plan.changed),
    '',
    neverImported,
  ].join('\n')
}

/** Formats bytes in megabytes, or in gigabytes from 1 GB. */
export function amountOf(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

/** Formats notes under a title, one line each. */
export function list(title: string, notes: readonly Note[]): string[] {
  if (notes.length === 0) return []
  const lines = notes.slice(0, linesMax).map(({ kind, name, why }) => `  ${kind}: ${plain(name)}: ${plain(why)}`)
  const more = notes.length > linesMax ? [`  … and ${notes.length - linesMax} more`] : []
  return ['', title, ...lines, ...more]
}

/** Replaces control characters, so that names can't control the terminal. */
const plain = (text: string) => text.replace(/\p{Cc}/gu, '?')
