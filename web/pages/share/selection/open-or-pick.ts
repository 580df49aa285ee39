import type { MouseEvent } from 'react'
import type { Pick } from './use-selection.ts'

interface Click {
  key: string
  /** Whether a click selects instead of opening. */
  isOn: boolean | undefined
  /** Absent: there is nothing to select from. */
  onPick: Pick | undefined
  /** Opens the entry. Absent: the link does. */
  open?: (() => void) | undefined
}

/**
 * Handles a click on the link of a file or folder: with Shift or while something is selected it
 * selects, otherwise it opens. With other modifier keys it stays the browser's, for a new tab. A
 * router's `Link` must call it while the event is captured, because it ignores clicks with Shift.
 */
export function openOrPick(event: MouseEvent, { key, isOn, onPick, open }: Click): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (onPick && (isOn || event.shiftKey)) onPick(key, event.shiftKey)
  else if (open) open()
  else return
  event.preventDefault()
}
