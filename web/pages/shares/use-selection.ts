import { useState } from 'react'
import { idsMax } from '../../../src/shares/limits.ts'

/** The rows that the user has selected, on all pages, at most 200. */
export interface Selection<Row> {
  rows: Row[]
  has(row: Row): boolean
  /** Selects these rows, or deselects them if all are selected. */
  toggle(rows: Row[]): void
  clear(): void
}

/** Keeps a selection of rows of a list. */
export function useSelection<Row extends { id: string }>(): Selection<Row> {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map())
  const has = ({ id }: Row) => selected.has(id)
  const toggle = (rows: Row[]) => {
    const others = [...selected.values()].filter(({ id }) => !rows.some((row) => row.id === id))
    const kept = rows.every(has) ? others : [...selected.values(), ...rows].slice(0, idsMax)
    setSelected(new Map(kept.map((row) => [row.id, row])))
  }
  return { rows: [...selected.values()], has, toggle, clear: () => setSelected(new Map()) }
}
