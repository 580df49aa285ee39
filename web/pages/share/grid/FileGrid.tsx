import { type FocusEvent, lazy, Suspense, useRef, useState } from 'react'
import { useHydrated } from '../../../lib/hydration.tsx'
import type { EntriesProps } from '../FileList.tsx'
import { keyOf, VIRTUALIZE_FROM } from '../folders.ts'
import { usePrinting } from '../use-printing.ts'
import { Tile } from './Tile.tsx'
import './grid.css'

const GridWindow = lazy(async () => ({ default: (await import('./GridWindow.tsx')).GridWindow }))

/** The tiles to render, and the space of those before and after them in CSS pixels. */
export interface GridLayout {
  from: number
  to: number
  before: number
  after: number
}

/** Tiles of a long grid that are rendered first. */
const firstLayout: GridLayout = { from: 0, to: 40, before: 0, after: 0 }

/**
 * Shows files and folders as tiles of one size. Of many tiles only the visible ones are rendered,
 * and the one with the keyboard focus. Printing renders all.
 */
export function FileGrid({ shareId, folder, entries, selection, onPreview }: EntriesProps) {
  const list = useRef<HTMLUListElement>(null)
  const hydrated = useHydrated()
  const printing = usePrinting()
  const [focused, setFocused] = useState<string | null>(null)
  const [layout, setLayout] = useState(firstLayout)
  const isLong = entries.length > VIRTUALIZE_FROM && !printing
  const { from, to, before, after } = isLong ? layout : { from: 0, to: entries.length, before: 0, after: 0 }
  const focusedIndex = isLong && focused !== null ? entries.findIndex((entry) => keyOf(entry) === focused) : -1
  const tile = (index: number, isKept = false) => {
    const entry = entries[index]
    if (!entry) return null
    const pick = selection && { picked: selection.pickedOf(entry), isOn: selection.isOn, onPick: selection.pick }
    const position = isLong ? { index, count: entries.length } : null
    return (
      <Tile
        key={keyOf(entry)}
        shareId={shareId}
        folder={folder}
        entry={entry}
        position={position}
        isKept={isKept}
        {...pick}
        onPreview={onPreview}
      />
    )
  }
  // one array, because React would render a tile again that moves out of it
  const tiles = entries.slice(from, to).map((_, offset) => tile(from + offset))
  if (focusedIndex >= 0 && focusedIndex < from) tiles.unshift(tile(focusedIndex, true))
  else if (focusedIndex >= to) tiles.push(tile(focusedIndex, true))
  return (
    <>
      <ul
        ref={list}
        className="file-grid"
        style={isLong && hydrated ? { paddingBlock: `${before}px ${after}px` } : undefined}
        onFocus={({ target }: FocusEvent) => setFocused(target.closest('li')?.dataset.key ?? null)}
      >
        {tiles}
      </ul>
      {hydrated && isLong && (
        <Suspense>
          <GridWindow list={list} count={entries.length} layout={layout} onLayout={setLayout} />
        </Suspense>
      )}
    </>
  )
}
