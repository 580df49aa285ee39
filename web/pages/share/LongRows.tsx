import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Place } from './FileRow.tsx'
import type { Entry } from './folders.ts'

const usualHeight = 57 // CSS pixels of a row whose name takes one line
const beyond = 5 // rows kept ready above and below

interface Props {
  entries: readonly Entry[]
  children(entry: Entry, place?: Place): ReactNode
}

/** The rows of a long list, of which only those in sight exist, and the one that the keyboard is at; on paper there are all. */
export function LongRows({ entries, children }: Props) {
  const body = useRef<HTMLTableSectionElement>(null)
  const scrollMargin = useDistanceFromTop(body)
  const printing = usePrinting()
  const [focused, setFocused] = useState<Entry | null>(null)
  const kept = focused ? entries.indexOf(focused) : -1
  const rangeExtractor = (range: Range) => {
    const inSight = defaultRangeExtractor(range)
    return kept < 0 || inSight.includes(kept) ? inSight : [...inSight, kept].sort((a, b) => a - b)
  }
  const getItemKey = useCallback((index: number) => nameOf(entries[index]!), [entries])
  const rows = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => usualHeight,
    overscan: beyond,
    scrollMargin,
    rangeExtractor,
    getItemKey,
  })
  if (printing) return <tbody>{entries.map((entry) => children(entry))}</tbody>
  const note = ({ target }: FocusEvent) => setFocused(entries[Number(target.closest('tr')?.dataset.index)] ?? null)
  let end = scrollMargin
  const shown = rows.getVirtualItems().flatMap(({ index, start, end: next }) => {
    const gap = start - end
    end = next
    return [gap > 0 && <Gap key={`before ${index}`} height={gap} />, children(entries[index]!, { index, ref: rows.measureElement })]
  })
  return (
    <tbody ref={body} onFocus={note}>
      {shown}
      <Gap height={scrollMargin + rows.getTotalSize() - end} />
    </tbody>
  )
}

function nameOf({ file, name }: Entry): string {
  return file?.id ?? `${name}/`
}

/** Takes the place of rows out of sight. */
function Gap({ height }: { height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
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
    const look = () => flushSync(() => setPrinting(media.matches)) // the paper is drawn right after
    media.addEventListener('change', look)
    return () => media.removeEventListener('change', look)
  }, [])
  return printing
}
