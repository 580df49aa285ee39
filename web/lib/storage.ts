/** What the browser keeps for this site: `local` for good, `session` for one tab. Where storing is forbidden it forgets at once and nothing breaks. */
export const local = storage(() => localStorage)
export const session = storage(() => sessionStorage)

function storage(open: () => Storage) {
  const attempt = <T>(use: (storage: Storage) => T): T | null => {
    try {
      return use(open())
    } catch {
      return null
    }
  }
  return {
    get: (key: string) => attempt((storage) => storage.getItem(key)),
    set: (key: string, value: string) => void attempt((storage) => storage.setItem(key, value)),
    remove: (key: string) => void attempt((storage) => storage.removeItem(key)),
  }
}
