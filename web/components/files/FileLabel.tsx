import type { ReactNode } from 'react'
import { showInvisible } from '../../../src/invisible-characters.ts'
import { iconOf } from '../../lib/file-kinds.ts'
import { Icon } from '../Icon.tsx'

const tailLength = 9 // enough for the extension and the end of a number

/** A file's picture and name, cut in the middle when there is no room, with its folder and what else is to say below. */
export function FileLabel({ name: given, note }: { name: string; note: ReactNode }) {
  const name = showInvisible(given)
  const slash = name.lastIndexOf('/')
  const letters = [...name.slice(slash + 1)]
  const tail = letters.length > 2 * tailLength ? letters.splice(-tailLength).join('') : ''
  return (
    <>
      <span className="file-icon">
        <Icon name={iconOf(name)} size={20} />
      </span>
      <span className="row-words" title={name}>
        <span className="row-name" dir="auto">
          <span className="row-name-head">{letters.join('')}</span>
          {tail && <span className="row-name-tail">{tail}</span>}
        </span>
        <span className="row-note">
          {note}
          {slash > 0 && <span className="row-folder"> · {name.slice(0, slash)}</span>}
        </span>
      </span>
    </>
  )
}
