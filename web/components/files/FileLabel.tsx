import type { ReactNode } from 'react'
import { showInvisible } from '../../../src/invisible-characters.ts'
import { iconOf } from '../../lib/file-kinds.ts'
import { Icon } from '../Icon.tsx'

const tailLength = 9 // enough for the extension and the end of a number

/**
 * Shows a file's icon and name with a note and its folder below. A long name is cut in the middle.
 */
export function FileLabel({ name: rawName, note }: { name: string; note: ReactNode }) {
  const name = showInvisible(rawName)
  const slash = name.lastIndexOf('/')
  const characters = [...name.slice(slash + 1)]
  const tail = characters.length > 2 * tailLength ? characters.splice(-tailLength).join('') : ''
  return (
    <>
      <span className="file-icon tile">
        <Icon name={iconOf(name)} size={20} />
      </span>
      <span className="words lines" title={name}>
        <span className="row-name" dir="auto">
          <span className="row-name-head">{characters.join('')}</span>
          {tail && <span className="row-name-tail">{tail}</span>}
        </span>
        <span className="row-note small">
          {note}
          {slash > 0 && <span> · {name.slice(0, slash)}</span>}
        </span>
      </span>
    </>
  )
}
