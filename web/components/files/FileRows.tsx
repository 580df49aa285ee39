import { type Key, type ReactNode, useEffect, useRef, useState } from 'react'

const rowHeight = 64 // CSS pixels, as in upload.css
const beyond = 6 // rows kept ready above and below

interface Props<T> {
  label: string
  items: readonly T[]
  keyOf(item: T): Key
  children(item: T): ReactNode
}

/** A list of which only the rows in sight exist: five thousand files scroll like five. */
export function FileRows<T>({ label, items, keyOf, children }: Props<T>) {
  const box = useRef<HTMLElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const look = () => setView({ top: box.current!.scrollTop, height: box.current!.clientHeight })
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when the list has got longer or shorter
  useEffect(look, [items.length])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - beyond)
  const visible = items.slice(first, Math.ceil((view.top + view.height) / rowHeight) + beyond)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section ref={box} className="rows" aria-label={label} onScroll={look} tabIndex={0}>
      <ul style={{ blockSize: items.length * rowHeight, paddingBlockStart: first * rowHeight }}>
        {visible.map((item, index) => (
          <li key={keyOf(item)} className="row" aria-setsize={items.length} aria-posinset={first + index + 1}>
            {children(item)}
          </li>
        ))}
      </ul>
    </section>
  )
}
