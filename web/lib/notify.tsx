import { createContext, useContext } from 'react'

export interface Notify {
  success(text: string): void
  info(text: string): void
  warning(text: string): void
  /** Shows what was deleted, with a button that undoes it for nearly as long as the server can. */
  undoable(text: string, undo: () => Promise<unknown>): void
  /** Shows the text of an error in the user's language. */
  error(error: unknown): void
}

/** Shows notices; null while the server renders. */
export const NotifyContext = createContext<Notify | null>(null)

/** Returns the functions that show notices. They must not be called while the server renders. */
export function useNotify(): Notify {
  return useContext(NotifyContext) as Notify
}
