import { type Key, type ReactNode, useEffect, useRef, useState } from 'react'

const rowHeight = 64 // CSS pixels, as in files.css
const overscan = 6 // rows rendered above and below the visible ones

interface Props<T> {
  label: string
  items: readonly T[]
  keyOf(item: T): Key
  children(item: T): ReactNode
}

/** A scrolling list that renders only its visible rows, so that thousands of files stay fast. */
export function FileRows<T>({ label, items, keyOf, children }: Props<T>) {
  const box = useRef<HTMLElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const measure = () => setView({ top: box.current!.scrollTop, height: box.current!.clientHeight })
  // biome-ignore lint/correctness/useExhaustiveDependencies: measures again when the length of the list changes
  useEffect(measure, [items.length])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan)
  const visible = items.slice(first, Math.ceil((view.top + view.height) / rowHeight) + overscan)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: can be scrolled with the keyboard
    <section ref={box} className="rows" aria-label={label} onScroll={measure} tabIndex={0}>
      <ul style={{ blockSize: items.length * rowHeight, paddingBlockStart: first * rowHeight }}>
        {visible.map((item, index) => (
          <li key={keyOf(item)} className="row line" aria-setsize={items.length} aria-posinset={first + index + 1}>
            {children(item)}
          </li>
        ))}
      </ul>
    </section>
  )
}
