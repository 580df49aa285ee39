import { address } from './address.ts'

/**
 * The browser's storage for this site, which shares it with other programs on the host. Where it is
 * forbidden, nothing is stored and no error is thrown.
 */
export const local = storage(() => localStorage)
/** The same for one tab. */
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
    get: (key: string) => attempt((storage) => storage.getItem(address(key))),
    set: (key: string, value: string) => void attempt((storage) => storage.setItem(address(key), value)),
    remove: (key: string) => void attempt((storage) => storage.removeItem(address(key))),
  }
}
