import { useEffect, useRef, useState } from 'react'

const step = 200

/** The beginning of a long list, which grows when its end (the element with `sentinel`) comes near, or by `more`; null when all is visible. */
export function useGrowing<T>(items: readonly T[], resetKey: string) {
  const [grown, setGrown] = useState({ key: resetKey, length: step })
  const length = grown.key === resetKey ? grown.length : step
  const sentinel = useRef<HTMLButtonElement>(null)
  const complete = length >= items.length
  const more = () => setGrown({ key: resetKey, length: length + step })
  // biome-ignore lint/correctness/useExhaustiveDependencies: observed anew after each step
  useEffect(() => {
    if (!sentinel.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more(), { rootMargin: '600px' })
    observer.observe(sentinel.current)
    return () => observer.disconnect()
  }, [length, complete, resetKey])
  return { visible: complete ? items : items.slice(0, length), more: complete ? null : more, sentinel }
}
