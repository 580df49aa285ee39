import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { type Entry, keyOf } from './folders.ts'
import type { RowLayout } from './LongRows.tsx'

const typicalHeight = 57 // CSS pixels of a row whose name fits on one line
const overscan = 5 // rows rendered above and below the visible ones

interface Props {
  entries: readonly Entry[]
  body: RefObject<HTMLElement | null>
  /** The row that is rendered wherever the window scrolls; -1 for none. */
  keptIndex: number
  onLayout(layout: RowLayout): void
}

/**
 * Reports which rows the window shows. It renders nothing itself, so that its late arrival replaces
 * no row.
 */
export const RowWindow = memo(function RowWindow({ entries, body, keptIndex, onLayout }: Props) {
  const scrollMargin = useDistanceFromTop(body)
  const rangeExtractor = (range: Range) => {
    const visible = defaultRangeExtractor(range)
    return keptIndex < 0 || visible.includes(keptIndex) ? visible : [...visible, keptIndex].sort((a, b) => a - b)
  }
  const getItemKey = useCallback((index: number) => (entries[index] ? keyOf(entries[index]) : index), [entries])
  const rows = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => typicalHeight,
    overscan,
    scrollMargin,
    rangeExtractor,
    getItemKey,
  })
  useLayoutEffect(() => {
    let end = scrollMargin
    const shown = rows.getVirtualItems().map(({ index, start, end: next }) => {
      const gap = start - end
      end = next
      return { index, gap }
    })
    if (shown.length === 0) return // before the window is measured
    onLayout({ rows: shown, gapAfter: scrollMargin + rows.getTotalSize() - end, measure: rows.measureElement })
  })
  return null
})

function useDistanceFromTop(element: RefObject<HTMLElement | null>): number {
  const [distance, setDistance] = useState(0)
  useLayoutEffect(() => {
    if (element.current) setDistance(Math.round(element.current.getBoundingClientRect().top + scrollY))
  })
  return distance
}
