import type { FileSource } from './types.ts'

/** The properties by which a picked file is recognized in a list. */
type Identity = Pick<FileSource, 'name' | 'pickedName' | 'size'> & { readonly lastModified: number | null }

/** Short and without spaces, as in the names inside a zip (`src/downloads/zip/names.ts`). */
const extension = /(?<=[^./])\.[a-z0-9_-]{1,20}$/i

/**
 * Returns the files to add to a list. A file that the list has already, by name, size and time, is
 * skipped. Another file with a name of the list gets a number: `photo (1).jpg`.
 */
export function withoutRepeats(list: readonly Identity[], added: readonly FileSource[]): { files: FileSource[]; repeated: number } {
  const known = new Set(list.map(identityOf))
  const names = new Set(list.map(({ name }) => name))
  const files: FileSource[] = []
  for (const source of added) {
    const identity = identityOf(source)
    if (known.has(identity)) continue
    known.add(identity)
    const name = freeName(source.name, names)
    names.add(name)
    files.push(name === source.name ? source : renamed(source, name))
  }
  return { files, repeated: added.length - files.length }
}

/** Returns a name without the number that `withoutRepeats` adds. */
export function withoutNumber(name: string): string {
  const ending = extension.exec(name)?.[0] ?? ''
  return name.slice(0, name.length - ending.length).replace(/ \(\d+\)$/, '') + ending
}

/** Returns the name, or with the first number that makes it different from all `names`. */
export function freeName(name: string, names: ReadonlySet<string>): string {
  const ending = extension.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - ending.length)
  let free = name
  for (let number = 1; names.has(free); number++) free = `${stem} (${number})${ending}`
  return free
}

function renamed(source: FileSource, name: string): FileSource {
  const { size, type, lastModified, name: pickedName } = source
  return { name, pickedName, size, type, lastModified, slice: (start, end) => source.slice(start, end) }
}

function identityOf({ name, pickedName, size, lastModified }: Identity): string {
  return `${size}:${lastModified}:${pickedName ?? name}`
}
