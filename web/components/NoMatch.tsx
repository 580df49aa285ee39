import { Razorbill } from './Razorbill.tsx'

/** In place of a list when a search finds nothing in it. */
export function NoMatch({ text }: { text: string }) {
  return (
    <div className="card no-match stack">
      <Razorbill className="no-match-picture" />
      <p className="soft">{text}</p>
    </div>
  )
}
