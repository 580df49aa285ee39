import { useHydrated } from '../../../lib/hydration.tsx'
import type { Picked } from './use-selection.ts'
import './pick.css'

interface Props {
  label: string
  picked: Picked
  onPick(extend: boolean): void
}

/** The checkbox of a file or folder. With Shift it selects everything since the last one. */
export function PickBox({ label, picked, onPick }: Props) {
  const hydrated = useHydrated()
  return (
    <input
      type="checkbox"
      className="pick"
      aria-label={label}
      title={label}
      disabled={!hydrated}
      checked={picked === true}
      ref={(box) => {
        if (box) box.indeterminate = picked === 'some'
      }}
      onChange={({ nativeEvent }) => onPick(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  )
}
