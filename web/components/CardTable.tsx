// biome-ignore-all lint/a11y/noRedundantRoles: Safari drops the roles of a table that is laid out as blocks
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import './card-table.css'

export interface Column<Row> {
  key: string
  label: string
  /** The content of the column's head if it is more than the label, such as a button that sorts. */
  head?: ReactNode
  /** How the rows are sorted by this column. */
  sorted?: 'ascending' | 'descending'
  className?: string
  cell(row: Row): ReactNode
}

interface Props<Row> {
  /** The first column has the heading of each row. */
  columns: Column<Row>[]
  rows: Row[]
  /** Whether other rows are being loaded. */
  busy: boolean
  className?: string
  /** Buttons and links for a row. */
  actions(row: Row): ReactNode
}

/** Shows rows as a table, and each row as a card on a phone. */
export function CardTable<Row extends { id: string }>({ columns, rows, busy, className = '', actions }: Props<Row>) {
  const { t } = useTranslation()
  const [heading, ...facts] = columns
  return (
    <div className="card share-table-card" aria-busy={busy}>
      <table className={`share-table ${className}`} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, label, head, sorted }) => (
              <th key={key} scope="col" role="columnheader" aria-sort={sorted}>
                {head ?? label}
              </th>
            ))}
            <th scope="col" role="columnheader">
              <span className="visually-hidden">{t('share.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.id} role="row">
              <th scope="row" role="rowheader">
                {heading?.cell(row)}
              </th>
              {facts.map(({ key, label, className, cell }) => (
                <td key={key} role="cell" data-label={label} className={className}>
                  {cell(row)}
                </td>
              ))}
              <td role="cell" className="share-actions">
                {actions(row)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
