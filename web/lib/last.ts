import { useState } from 'react'

/** What `value` was when it was last there: a dialog goes on showing it while it closes. */
export function useLast<T extends object>(value: T | null): T | null {
  const [last, setLast] = useState(value)
  if (value !== null && value !== last) setLast(value)
  return value ?? last
}
