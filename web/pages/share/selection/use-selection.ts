import { useCallback, useMemo, useRef, useState } from 'react'
import type { SharedFile } from '../../../../src/shares/contract.ts'
import { type Entry, keyOf } from '../folders.ts'

/** Whether an entry is selected; `some`: files of the folder are. */
export type Picked = boolean | 'some'

/** Selects an entry or not, or with `extend` all entries since the last one. */
export type Pick = (key: string, extend: boolean) => void

export interface Selection {
  /** Selected files by ID. They may be in other folders than the one that is shown. */
  files: ReadonlyMap<string, SharedFile>
  /** Whether a tap on a file selects it. */
  isOn: boolean
  pickedOf(entry: Entry): Picked
  pick: Pick
  turnOn(): void
  /** Selects everything in the list. */
  pickAll(): void
  clear(): void
}

/**
 * Keeps which files are selected for one download. `entries` are those of `folder` that the list
 * shows.
 */
export function useSelection(all: readonly SharedFile[], entries: readonly Entry[], folder: string): Selection {
  const [files, setFiles] = useState<ReadonlyMap<string, SharedFile>>(new Map())
  const [isOn, setOn] = useState(false)
  const shown = useRef({ all, entries, folder, last: -1 })
  if (shown.current.entries !== entries) shown.current = { all, entries, folder, last: -1 }
  const counts = useMemo(() => countByFolder(files.values(), folder), [files, folder])

  const pick = useCallback((key: string, extend: boolean) => {
    const { entries, last } = shown.current
    const index = entries.findIndex((entry) => keyOf(entry) === key)
    const [from, to] = extend && last >= 0 ? [Math.min(last, index), Math.max(last, index)] : [index, index]
    shown.current.last = index
    const touched = filesIn(entries.slice(from, to + 1), shown.current)
    const target = filesIn(entries.slice(index, index + 1), shown.current)
    setFiles((before) => {
      const isAdded = target.some(({ id }) => !before.has(id))
      const after = new Map(before)
      for (const file of touched) isAdded ? after.set(file.id, file) : after.delete(file.id)
      return after
    })
  }, [])

  return {
    files,
    isOn: isOn || files.size > 0,
    pick,
    pickedOf: ({ file, name, count }) => {
      if (file) return files.has(file.id)
      const selected = counts.get(name) ?? 0
      return selected === count || (selected > 0 && 'some')
    },
    turnOn: () => setOn(true),
    pickAll: () => setFiles((before) => new Map([...before, ...filesIn(entries, shown.current).map((file) => [file.id, file] as const)])),
    clear() {
      setOn(false)
      setFiles(new Map())
    },
  }
}

/** Returns the files that entries stand for. */
function filesIn(entries: readonly Entry[], { all, folder }: { all: readonly SharedFile[]; folder: string }): SharedFile[] {
  const prefix = folder === '' ? '' : `${folder}/`
  const names = new Set(entries.filter(({ file }) => file === null).map(({ name }) => name))
  const inFolders = names.size === 0 ? [] : all.filter(({ name }) => names.has(innerFolder(name, prefix) ?? ''))
  return [...entries.flatMap(({ file }) => file ?? []), ...inFolders]
}

function countByFolder(files: Iterable<SharedFile>, folder: string): Map<string, number> {
  const prefix = folder === '' ? '' : `${folder}/`
  const counts = new Map<string, number>()
  for (const { name } of files) {
    const inner = innerFolder(name, prefix)
    if (inner !== null) counts.set(inner, (counts.get(inner) ?? 0) + 1)
  }
  return counts
}

/** Returns the folder directly below `prefix` that a file is in. */
function innerFolder(name: string, prefix: string): string | null {
  const end = name.startsWith(prefix) ? name.indexOf('/', prefix.length) : -1
  return end < 0 ? null : name.slice(prefix.length, end)
}
