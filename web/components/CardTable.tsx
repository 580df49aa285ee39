// biome-ignore-all lint/a11y/noRedundantRoles: Safari drops the roles of a table that is laid out as blocks
import { Checkbox } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNarrow } from '../lib/narrow.ts'
import './card-table.css'

export interface Column<Row> {
  key: string
  label: string
  /** The content of the column's head if it is more than the label, such as a button that sorts. */
  head?: ReactNode
  /** How the rows are sorted by this column. */
  sorted?: 'ascending' | 'descending' | undefined
  cell(row: Row): ReactNode
}

/** Which rows are selected by their checkboxes. */
interface Selection<Row> {
  has(row: Row): boolean
  toggle(rows: Row[]): void
  /** Returns the name of a row's checkbox. */
  labelOf(row: Row): string
}

interface Props<Row> {
  /** The first column has the heading of each row. */
  columns: Column<Row>[]
  rows: Row[]
  /** Whether other rows are being loaded. */
  busy: boolean
  className?: string
  /** Whether to show each row as a card, as on a phone. */
  cards?: boolean
  selection?: Selection<Row>
  /** Buttons and links for a row. */
  actions(row: Row): ReactNode
}

/** Shows rows as a table, or each row as a card in a grid. */
export function CardTable<Row extends { id: string }>(props: Props<Row>) {
  const { columns, rows, busy, className = '', cards = false, selection, actions } = props
  const { t } = useTranslation()
  const isGrid = useNarrow() || cards
  return (
    <div className="card share-table-card" data-cards={isGrid} aria-busy={busy}>
      <table className={`share-table ${className}`} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {selection && (
              <th scope="col" role="columnheader" className="share-check">
                <SelectAll rows={rows} selection={selection} />
              </th>
            )}
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
            <TableRow key={row.id} row={row} columns={columns} selection={selection} actions={actions} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type RowProps<Row> = Pick<Props<Row>, 'columns' | 'actions'> & { row: Row; selection: Selection<Row> | undefined }

function TableRow<Row extends { id: string }>({ row, columns: [heading, ...facts], selection, actions }: RowProps<Row>) {
  const isLonely = (index: number) => index === facts.length - 1 && index % 2 === 0
  return (
    <tr role="row" aria-selected={selection?.has(row)}>
      {selection && (
        <td role="cell" className="share-check">
          <Checkbox aria-label={selection.labelOf(row)} checked={selection.has(row)} onChange={() => selection.toggle([row])} />
        </td>
      )}
      <th scope="row" role="rowheader">
        {heading?.cell(row)}
      </th>
      {facts.map(({ key, label, cell }, index) => (
        <td key={key} role="cell" data-label={label} data-lonely={isLonely(index)}>
          {cell(row)}
        </td>
      ))}
      <td role="cell" className="share-actions">
        {actions(row)}
      </td>
    </tr>
  )
}

function SelectAll<Row>({ rows, selection }: { rows: Row[]; selection: Selection<Row> }) {
  const { t } = useTranslation()
  const count = rows.filter(selection.has).length
  return (
    <Checkbox
      aria-label={t('shares.selectAll')}
      checked={count === rows.length}
      indeterminate={count > 0 && count < rows.length}
      onChange={() => selection.toggle(rows)}
    />
  )
}
