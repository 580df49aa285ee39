import { type RefObject, useEffect } from 'react'
import type { GridLayout } from './FileGrid.tsx'

/** Rows of tiles that are rendered above and below the visible ones. */
const overscan = 4

interface Props {
  list: RefObject<HTMLUListElement | null>
  /** All tiles. */
  count: number
  layout: GridLayout
  onLayout(layout: GridLayout): void
}

/** Reports which tiles the window shows. It renders nothing itself. */
export function GridWindow({ list, count, layout, onLayout }: Props) {
  useEffect(() => {
    const update = () => {
      const next = list.current && visibleTiles(list.current, count)
      if (next && (Object.keys(next) as (keyof GridLayout)[]).some((key) => next[key] !== layout[key])) onLayout(next)
    }
    update()
    const resized = new ResizeObserver(update)
    if (list.current) resized.observe(list.current)
    addEventListener('scroll', update, { passive: true })
    addEventListener('resize', update)
    return () => {
      resized.disconnect()
      removeEventListener('scroll', update)
      removeEventListener('resize', update)
    }
  })
  return null
}

/** Returns which of `count` tiles of one size lie in or near the window. */
function visibleTiles(list: HTMLElement, count: number): GridLayout | null {
  const tile = list.querySelector('li:not(.tile-kept)')
  if (!tile) return null
  const style = getComputedStyle(list)
  const columns = style.gridTemplateColumns.split(' ').length
  const height = tile.getBoundingClientRect().height + Number.parseFloat(style.rowGap)
  if (!(height > 0)) return null
  const rows = Math.ceil(count / columns)
  const top = list.getBoundingClientRect().top
  const first = clamp(Math.floor(-top / height) - overscan, 0, rows)
  const last = clamp(Math.ceil((innerHeight - top) / height) + overscan, first + 1, rows)
  return {
    from: first * columns,
    to: Math.min(last * columns, count),
    before: Math.round(first * height),
    after: Math.round((rows - last) * height),
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(Math.min(value, most), Math.min(least, most))
}
