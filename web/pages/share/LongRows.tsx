import { type FocusEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useHydrated } from '../../lib/hydration.tsx'
import type { RowPosition } from './FileRow.tsx'
import { type Entry, INITIAL_ROWS } from './folders.ts'
import { usePrinting } from './use-printing.ts'

const RowWindow = lazy(async () => ({ default: (await import('./RowWindow.tsx')).RowWindow }))

/** The rows to render. Gaps, in CSS pixels, stand for rows that are not rendered. */
export interface RowLayout {
  rows: { index: number; gap: number }[]
  gapAfter: number
  measure?(row: HTMLTableRowElement | null): void
}

const firstLayout: RowLayout = { rows: Array.from({ length: INITIAL_ROWS }, (_, index) => ({ index, gap: 0 })), gapAfter: 0 }

interface Props {
  entries: readonly Entry[]
  children(entry: Entry, position?: RowPosition): ReactNode
}

/**
 * Renders only the visible rows of a long list and the one with the keyboard focus. The server
 * renders the first rows. Printing renders all rows.
 */
export function LongRows({ entries, children }: Props) {
  const body = useRef<HTMLTableSectionElement>(null)
  const hydrated = useHydrated()
  const printing = usePrinting()
  const [focused, setFocused] = useState<Entry | null>(null)
  const [{ rows, gapAfter, measure }, setLayout] = useState(firstLayout)
  const rememberFocus = (target: Element | null) => {
    const index = target?.closest('tr')?.dataset.index
    if (index) setFocused(entries[Number(index)] ?? null)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus may have been set before hydration
  useEffect(() => rememberFocus(document.activeElement), [])
  const shown = rows.flatMap(({ index, gap }) => {
    const entry = entries[index]
    return [gap > 0 && <Gap key={`before ${index}`} height={gap} />, entry && children(entry, { index, ref: measure })]
  })
  return (
    <>
      <tbody ref={body} onFocus={({ target }: FocusEvent) => rememberFocus(target)}>
        {printing ? entries.map((entry) => children(entry)) : shown}
        {gapAfter > 0 && !printing && <Gap height={gapAfter} />}
      </tbody>
      {hydrated && (
        <Suspense>
          <RowWindow entries={entries} body={body} keptIndex={focused ? entries.indexOf(focused) : -1} onLayout={setLayout} />
        </Suspense>
      )}
    </>
  )
}

/** Fills the space of rows that are not rendered. */
function Gap({ height }: { height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it contains nothing that can be focused
    <tr className="file-gap" aria-hidden="true">
      <td style={{ blockSize: height }} />
    </tr>
  )
}
