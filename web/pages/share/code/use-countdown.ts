import { useEffect, useState } from 'react'
import { formatDuration } from '../../../lib/format.ts'

/** Counts down the seconds from `start(seconds)`. The text, such as `42 seconds`, is null at the end. */
export function useCountdown() {
  const [end, setEnd] = useState(0)
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const update = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)))
    update()
    const timer = setInterval(update, 1000)
    return () => clearInterval(timer)
  }, [end])
  return {
    text: left > 0 ? durationOf(left) : null,
    start: (seconds: number) => setEnd(Date.now() + seconds * 1000),
  }
}

function durationOf(seconds: number): string {
  return seconds > 90 ? formatDuration(Math.ceil(seconds / 60), 'minute') : formatDuration(seconds, 'second')
}
