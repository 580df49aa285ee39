import { type Kind, kinds, type Note, type Plan } from './plan.ts'

const shown = 1000 // lines of one list

/** What an import takes and what not, for a terminal. */
export function reportOf(plan: Plan): string {
  const taken: Record<Kind, number> = {
    accounts: plan.users.length,
    'sign-ins elsewhere': plan.links.length,
    'reverse shares': plan.reverseShares.length,
    shares: plan.shares.length,
    settings: plan.settings.length,
  }
  const rows = kinds.map((kind) => [kind, taken[kind], plan.here[kind], plan.left.filter((note) => note.kind === kind).length])
  const table = [['', 'taken', 'here already', 'not taken'], ...rows].map(([head, ...cells]) =>
    [String(head).padEnd(20), ...cells.map((cell) => String(cell).padStart(13))].join(''),
  )
  const files = plan.shares.flatMap((share) => share.files)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return [
    ...table,
    `Files to copy: ${files.length}, ${amountOf(bytes)}`,
    ...list('Not taken:', plan.left),
    ...list('Taken, but not just as it was:', plan.changed),
    '',
    'Pingvin Share keeps its logo, its sessions and its links to a new password elsewhere or for hours only: they are not taken.',
  ].join('\n')
}

/** Bytes for people: megabytes below a gigabyte. */
export function amountOf(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

/** Notes by kind, a line each. */
export function list(title: string, notes: readonly Note[]): string[] {
  if (notes.length === 0) return []
  const lines = notes.slice(0, shown).map(({ kind, name, why }) => `  ${kind}: ${plain(name)}: ${plain(why)}`)
  const more = notes.length > shown ? [`  … and ${notes.length - shown} more`] : []
  return ['', title, ...lines, ...more]
}

/** Names are somebody else's: a terminal obeys none of them. */
const plain = (text: string) => text.replace(/\p{Cc}/gu, '?')
