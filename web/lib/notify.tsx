import { createContext, useContext } from 'react'

export interface Notify {
  success(text: string): void
  info(text: string): void
  warning(text: string): void
  /** Says what went wrong in the user's language. */
  error(error: unknown): void
}

/** How parts of a page show notices; null where there is no application yet. */
export const NotifyContext = createContext<Notify | null>(null)

/** Returns the notices of the page. */
export function useNotify(): Notify {
  return useContext(NotifyContext)!
}
