import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { RowPosition } from './FileRow.tsx'
import type { Entry } from './folders.ts'

const typicalHeight = 57 // CSS pixels of a row whose name fits on one line
const overscan = 5 // rows rendered above and below the visible ones

interface Props {
  entries: readonly Entry[]
  children(entry: Entry, position?: RowPosition): ReactNode
}

/**
 * Renders only the visible rows of a long list and the one with the keyboard focus. Printing
 * renders all rows.
 */
export function LongRows({ entries, children }: Props) {
  const body = useRef<HTMLTableSectionElement>(null)
  const scrollMargin = useDistanceFromTop(body)
  const printing = usePrinting()
  const [focused, setFocused] = useState<Entry | null>(null)
  const focusedIndex = focused ? entries.indexOf(focused) : -1
  const rangeExtractor = (range: Range) => {
    const visible = defaultRangeExtractor(range)
    return focusedIndex < 0 || visible.includes(focusedIndex) ? visible : [...visible, focusedIndex].sort((a, b) => a - b)
  }
  const getItemKey = useCallback((index: number) => keyOf(entries[index], index), [entries])
  const rows = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => typicalHeight,
    overscan,
    scrollMargin,
    rangeExtractor,
    getItemKey,
  })
  if (printing) return <tbody>{entries.map((entry) => children(entry))}</tbody>
  const rememberFocus = ({ target }: FocusEvent) => setFocused(entries[Number(target.closest('tr')?.dataset.index)] ?? null)
  let end = scrollMargin
  const shown = rows.getVirtualItems().flatMap(({ index, start, end: next }) => {
    const gap = start - end
    end = next
    const entry = entries[index]
    return [gap > 0 && <Gap key={`before ${index}`} height={gap} />, entry && children(entry, { index, ref: rows.measureElement })]
  })
  return (
    <tbody ref={body} onFocus={rememberFocus}>
      {shown}
      <Gap height={scrollMargin + rows.getTotalSize() - end} />
    </tbody>
  )
}

function keyOf(entry: Entry | undefined, index: number): string | number {
  if (!entry) return index
  return entry.file?.id ?? `${entry.name}/`
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

function useDistanceFromTop(element: { current: HTMLElement | null }): number {
  const [distance, setDistance] = useState(0)
  useLayoutEffect(() => {
    if (element.current) setDistance(Math.round(element.current.getBoundingClientRect().top + scrollY))
  })
  return distance
}

function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const media = matchMedia('print')
    const update = () => flushSync(() => setPrinting(media.matches)) // the browser prints right afterwards
    media.addEventListener('change', update)
    return () => media.removeEventListener('change', update)
  }, [])
  return printing
}
