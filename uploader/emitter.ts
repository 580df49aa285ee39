/** Typed events. */
export class Emitter<Events> {
  #listeners = new Map<keyof Events, Set<(detail: never) => void>>()

  /** Adds a listener and returns the function that removes it. */
  on<K extends keyof Events>(type: K, listener: (detail: Events[K]) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set()
    this.#listeners.set(type, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  emit<K extends keyof Events>(type: K, detail: Events[K]): void {
    for (const listener of this.#listeners.get(type) ?? []) (listener as (detail: Events[K]) => void)(detail)
  }
}
