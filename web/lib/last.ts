import { useState } from 'react'

/** Returns the last value that was not null, so that a dialog still shows it while it closes. */
export function useLast<T extends object>(value: T | null): T | null {
  const [last, setLast] = useState(value)
  if (value !== null && value !== last) setLast(value)
  return value ?? last
}
