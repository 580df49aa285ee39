import { Razorbill } from './Razorbill.tsx'

/** Replaces a list in which a search finds nothing. */
export function NoMatch({ text }: { text: string }) {
  return (
    <div className="card no-match stack">
      <Razorbill className="no-match-picture" />
      <p className="soft">{text}</p>
    </div>
  )
}
