import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import t from 'tap'
import { connectDatabases } from '../../src/db/connect.ts'
import { migrate, migrateTo } from '../../src/db/migrate.ts'
import { testApp } from '../support/app/app.ts'
import { silentLog } from '../support/app/log.ts'
import { emptyDatabase } from '../support/postgres.ts'

interface Column {
  type: string
  nullable: boolean
  generated: boolean
  /** The values of a column with a fixed set of values. */
  words?: string[]
}
type Tables = Record<string, Record<string, Column>>

const { ctx } = await testApp(t)
const source = await readFile(new URL('../../src/db/schema.ts', import.meta.url), 'utf8')

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const wordsIn = (text: string) => [...text.matchAll(/'([^']*)'/g)].map(([, word]) => word!).sort()

/** The tables as `src/db/schema.ts` declares them. */
function declared(text: string): Tables {
  const bodies = new Map([...text.matchAll(/^(?:export )?interface (\w+) \{\n(.*?)^\}/gms)].map(([, name, body]) => [name!, body!]))
  return Object.fromEntries(fields(bodies.get('Database')!).map(([name, table]) => [snakeCase(name), columns(bodies.get(table)!)]))
}

function fields(body: string): [name: string, type: string][] {
  return [...body.matchAll(/^ {2}(\w+): (.+)$/gm)].map(([, name, type]) => [name!, type!])
}

function columns(body: string): Record<string, Column> {
  return Object.fromEntries(fields(body).map(([name, type]) => [snakeCase(name), column(type)]))
}

function column(type: string): Column {
  const [, generated] = /^Generated<(.*)>$/.exec(type) ?? []
  const [, selected] = /^ColumnType<(\w+),/.exec(type) ?? []
  const plain = (generated ?? selected ?? type).replace(' | null', '')
  const words = wordsIn(plain)
  const isJson = source.includes(`interface ${plain} {`)
  return {
    type: isJson ? 'unknown' : words.length > 0 ? 'string' : plain,
    nullable: type.includes('| null'),
    generated: generated !== undefined,
    ...(words.length > 0 && { words }),
  }
}

const typeOf: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  _text: 'string[]',
  bool: 'boolean',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  timestamptz: 'Date',
  jsonb: 'unknown',
  int8multirange: 'string',
  bytea: 'Buffer',
}

interface Row {
  table: string
  column: string
  type: string
  nullable: boolean
  generated: boolean
  check: string | null
}

/** The tables as the migrations leave them. */
async function migrated(client: Pick<pg.ClientBase, 'query'> = ctx.pool): Promise<Tables> {
  const { rows } = await client.query<Row>(`
    select c.table_name as table, c.column_name as column, c.udt_name as type, c.is_nullable = 'YES' as nullable, c.column_default is not null as generated,
      (select pg_get_constraintdef(k.oid) from pg_constraint k where k.contype = 'c' and k.conrelid = format('public.%I', c.table_name)::regclass
        and k.conkey = array[c.ordinal_position::int2] and pg_get_constraintdef(k.oid) like '%ARRAY[%') as check
    from information_schema.columns c where c.table_schema = 'public' and c.table_name not like 'kysely%'`)
  const tables: Tables = {}
  for (const { table, column, type, nullable, generated, check } of rows) {
    tables[table] ??= {}
    tables[table][column] = { type: typeOf[type] ?? type, nullable, generated, ...(check && { words: wordsIn(check) }) }
  }
  return tables
}

t.test('matches the types and the migrated database', async (t) => {
  const database = await migrated()
  t.ok(Object.keys(database).length >= 8, 'there are tables')
  t.same(declared(source), database)
})

t.test('detects a change on either side', async (t) => {
  const database = await migrated()
  for (const [was, is] of [
    ['  username: string\n', ''],
    ['  username: string\n', '  username: string | null\n'],
    ['  username: string\n', '  username: number\n'],
    ['  views: Generated<number>', '  views: number'],
    ["'none' | ", ''],
    ['  setting: SettingTable\n', ''],
  ] as const) {
    t.ok(source.includes(was))
    t.notSame(declared(source.replace(was, is)), database, `without "${was.trim()}"`)
  }
  const client = await ctx.pool.connect()
  for (const change of [
    'alter table file add column extra text',
    'alter table file drop column type',
    'alter table file alter column type set not null',
    "alter table file alter column type set default ''",
    'alter table file alter column name type varchar(255)',
    'create table extra (id uuid)',
  ]) {
    await client.query('begin')
    await client.query(change)
    t.notSame(await migrated(client), database, change)
    await client.query('rollback')
  }
  client.release()
})

t.test('leaves the slow index of very many shares to the index builder, and checks no rows while the table is locked', async (t) => {
  const { db, pool, close } = connectDatabases(await emptyDatabase(), silentLog)
  t.teardown(close)
  await migrateTo(db, '026-packs')
  await pool.query("insert into share (id) select 'share-' || n from generate_series(1, 50001) n")
  await migrate(db)
  const { rows } = await pool.query("select indexname as name from pg_indexes where tablename = 'share' and indexname ~ '_(search|size)$'")
  t.same(rows, [{ name: 'share_size' }])
  await t.rejects(pool.query("update share set max_downloads = 0 where id = 'share-1'"), { message: /share_max_downloads_check/ })
  await t.rejects(pool.query("update share set notify = 'often' where id = 'share-1'"), { message: /share_notify_check/ })
})
