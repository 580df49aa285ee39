import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { parseCsv } from './csv.ts'
import './text.css'

const rowsMax = 1_000
const columnsMax = 60

/** Shows comma-separated values as a table, with the first row as its head. */
export function CsvView({ text }: { text: string }) {
  const { t } = useTranslation()
  const [head = [], ...rows] = useMemo(() => parseCsv(text, rowsMax + 2), [text])
  const hasMoreColumns = [head, ...rows].some(({ length }) => length > columnsMax)
  const cells = (row: string[], Cell: 'td' | 'th') =>
    // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other identity, and never move
    row.slice(0, columnsMax).map((value, index) => <Cell key={index}>{value}</Cell>)
  return (
    <>
      <table className="text-table">
        <thead>
          <tr>{cells(head, 'th')}</tr>
        </thead>
        <tbody>
          {rows.slice(0, rowsMax).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and never move
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
      {rows.length > rowsMax && <p className="soft">{t('preview.rowsCut', { count: formatNumber(rowsMax) })}</p>}
      {hasMoreColumns && <p className="soft">{t('preview.columnsCut', { count: formatNumber(columnsMax) })}</p>}
    </>
  )
}
