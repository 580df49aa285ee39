import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { crc32, deflateRawSync } from 'node:zlib'
import t from 'tap'
import { pieceHeader, planZip, type StoredEntry, type ZipPlan } from '../../src/downloads/zip/layout.ts'
import { centralRecord, dataDescriptor, endRecords, localHeader } from '../../src/downloads/zip/records.ts'
import { sendZip } from '../../src/downloads/zip/stream.ts'
import { crc32Combine } from '../../src/storage/streams/crc32.ts'
import { Collector, generatedEntry, generatedStore } from '../support/s3/generated-store.ts'

// Info-ZIP and Python read archives of up to 5 GiB: this takes seconds, so it is not a unit test.

const GIB4 = 0x100000000
const folder = mkdtempSync(join(tmpdir(), 'zip-layout-'))
t.teardown(() => rmSync(folder, { recursive: true }))

const installed = (tool: string) => spawnSync(tool, ['--version']).error === undefined
const unzip = { skip: installed('unzip') ? false : 'unzip is not installed' }
const python = { skip: installed('python3') ? false : 'python3 is not installed' }

async function write(plan: ZipPlan, name: string): Promise<string> {
  const to = new Collector()
  await sendZip(generatedStore, plan, { start: 0, end: plan.size - 1 }, to)
  const file = join(folder, name)
  writeFileSync(file, to.bytes)
  return file
}

/** Writes the archive with holes for the data, so that tens of GiB use no space. */
function writeSparse(plan: ZipPlan, name: string): string {
  const file = join(folder, name)
  const fd = openSync(file, 'w')
  for (let piece = 0; piece < plan.offsets.length - 1; piece++) writeSync(fd, pieceHeader(plan, piece), 0, undefined, plan.offsets[piece]!)
  ftruncateSync(fd, plan.size)
  closeSync(fd)
  return file
}

interface Listed {
  name: string
  size: number
  crc32: number
  offset: number
  flags: number
  mode: number
  method: number
}

const LIST = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
if 'test' in sys.argv: assert archive.testzip() is None
print(json.dumps([dict(name=i.filename, size=i.file_size, crc32=i.CRC, offset=i.header_offset, flags=i.flag_bits,
  mode=i.external_attr >> 16, method=i.compress_type) for i in archive.infolist()]))`

function list(file: string, ...options: 'test'[]): Listed[] {
  return JSON.parse(execFileSync('python3', ['-c', LIST, file, ...options], { maxBuffer: 1 << 28 }).toString())
}

function expected(plan: ZipPlan): Listed[] {
  return plan.entries.map(({ name, size, crc32 }, index) => ({
    name,
    size,
    crc32,
    offset: plan.offsets[index]!,
    flags: 0x800,
    mode: 0o100644,
    method: 0,
  }))
}

const mixed: StoredEntry[] = [
  generatedEntry('empty', 0),
  generatedEntry('photos/2026/a.jpg', 1),
  generatedEntry('photos/日本語 ünï 🐧.txt', 70_000),
  generatedEntry('__img src=x_.jpg', 300_000),
  generatedEntry(`${'n'.repeat(255)}/${'é'.repeat(127)}`, 4096),
  generatedEntry('last empty', 0),
]

t.test('lists every entry as planned in Python, with the right bytes', python, async (t) => {
  const plan = planZip(mixed)
  const file = await write(plan, 'mixed.zip')
  t.equal(statSync(file).size, plan.size)
  t.same(list(file, 'test'), expected(plan))
})

t.test('extracts every entry with unzip, with its time in any time zone', unzip, async (t) => {
  const modified = new Date('2026-07-01T22:33:45.000Z')
  const plan = planZip([
    generatedEntry('sub/ünï.txt', 5000, { modified }),
    generatedEntry('empty', 0, { modified: new Date('1999-12-31T23:59:59Z') }),
  ])
  const file = await write(plan, 'times.zip')
  execFileSync('unzip', ['-tqq', file])
  for (const TZ of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
    const into = join(folder, TZ.replace('/', '-'))
    execFileSync('unzip', ['-q', file, '-d', into], { env: { ...process.env, TZ, LC_ALL: 'C.UTF-8' } })
    const [name] = readdirSync(join(into, 'sub'))
    t.equal(name, 'ünï.txt')
    t.equal(statSync(join(into, 'sub', name!)).mtime.getTime(), modified.getTime(), TZ)
    t.equal(statSync(join(into, 'empty')).mtime.toISOString(), '1999-12-31T23:59:59.000Z')
    t.equal(statSync(join(into, 'empty')).mode & 0o777, 0o644 & ~process.umask())
    t.equal(readFileSync(join(into, 'sub', name!)).length, 5000)
  }
})

t.test('produces no warnings in zipinfo', unzip, async (t) => {
  const plan = planZip(mixed)
  const listing = execFileSync('zipinfo', ['-v', await write(plan, 'info.zip')], { maxBuffer: 1 << 24 }).toString()
  t.equal(listing.match(/modtime\): 2026 Nov 28 12:34:56 UTC/g)?.length, mixed.length)
  t.match(listing, /compression method: +none \(stored\)/)
  t.match(listing, /extended local header: +no/)
  t.match(listing, /Unix file attributes \(100644 octal\)/)
  t.notMatch(listing, /warning|error/i)
})

t.test('creates a valid archive without entries', python, async (t) => {
  const plan = planZip([])
  t.equal(plan.size, 22)
  t.same(list(await write(plan, 'empty.zip'), 'test'), [])
})

t.test('adds a ZIP64 end record above 65,534 entries, and readers find all of them', python, async (t) => {
  const entries = Array.from({ length: 65_536 }, (_, index) => generatedEntry(`f/${index}`, 0))
  const endOf = ({ size, offsets }: ZipPlan) => size - offsets.at(-2)!
  t.equal(endOf(planZip(entries.slice(0, 65_534))), 22)
  t.equal(endOf(planZip(entries.slice(0, 65_535))), 98)
  for (const count of [65_534, 65_536]) {
    const plan = planZip(entries.slice(0, count))
    const file = writeSparse(plan, `${count}.zip`)
    t.ok(isDeepStrictEqual(list(file), expected(plan)), `${count} entries`)
    if (!unzip.skip) t.equal(spawnSync('unzip', ['-tqq', file]).status, 0, `unzip of ${count}`)
  }
})

t.test('places entries and offsets on both sides of 4 GiB', python, async (t) => {
  const huge = (name: string, size: number) => generatedEntry(name, size, { crc: false })
  const layouts: Record<string, StoredEntry[]> = {
    'largest size without ZIP64': [huge('a', GIB4 - 2), generatedEntry('b', 0)],
    'smallest size with ZIP64': [huge('a', GIB4 - 1), generatedEntry('b', 0)],
    'over 4 GiB': [generatedEntry('a', 0), huge('b', 5 * GIB4 + 7), generatedEntry('c', 0), huge('d', GIB4), generatedEntry('e', 0)],
    'largest offset without ZIP64': [huge('a', GIB4 - 2 - 40), generatedEntry('b', 0)],
    'smallest offset with ZIP64': [huge('a', GIB4 - 1 - 40), generatedEntry('b', 0)],
    'directory over 4 GiB, its entries below': [generatedEntry('a', 0), huge('b', GIB4 - 100)],
  }
  for (const [what, entries] of Object.entries(layouts)) {
    const plan = planZip(entries)
    const file = writeSparse(plan, 'sparse.zip')
    t.same(list(file), expected(plan), what)
    const zero = plan.entries.findLast(({ size }) => size === 0)!.name
    if (!unzip.skip) t.equal(spawnSync('unzip', ['-tqq', file, zero]).stderr.toString(), '', `unzip of ${what}`)
  }
  const local = (size: number) => pieceHeader(planZip([huge('a', size)]), 0).length
  t.equal(local(GIB4 - 2), 40)
  t.equal(local(GIB4 - 1), 60)
})

t.test('places deflated entries and their data descriptors on both sides of 4 GiB', python, async (t) => {
  const text = Buffer.from('some text '.repeat(1000))
  const packed = deflateRawSync(text)
  const entries = [
    { ...generatedEntry('narrow', 0xff000000 - 1, { crc: false }), deflatedSize: 1000 },
    { ...generatedEntry('wide', 0xff000000, { crc: false }), deflatedSize: 1000 },
    { ...generatedEntry('huge', 5 * GIB4, { crc: false }), deflatedSize: GIB4 + 1 },
    { ...generatedEntry('text', text.length, { crc: false }), crc32: crc32(text), deflatedSize: packed.length },
  ]
  const file = join(folder, 'deflated.zip')
  const fd = openSync(file, 'w')
  let position = 0
  const write = (bytes: Uint8Array) => {
    position += writeSync(fd, bytes, 0, undefined, position)
  }
  const offsets = entries.map((entry) => {
    const offset = position
    write(localHeader({ ...entry, deflatedSize: 0 }))
    if (entry.name === 'text') write(packed)
    else position += entry.deflatedSize
    write(dataDescriptor(entry))
    return offset
  })
  const directory = position
  for (const [index, entry] of entries.entries()) write(centralRecord(entry, offsets[index]!))
  write(endRecords(entries.length, position - directory, directory))
  closeSync(fd)
  const listed = entries.map(({ name, size, crc32 }, index) => ({ name, size, crc32, offset: offsets[index]! }))
  t.match(
    list(file),
    listed.map((entry) => ({ ...entry, flags: 0x808, mode: 0o100644, method: 8 })),
  )
  if (!unzip.skip) t.equal(spawnSync('unzip', ['-tqq', file, 'text']).stderr.toString(), '')
})

t.test('reads back a file over 4 GiB and the file after it', python, async (t) => {
  const zeros = (length: number) => crc32(Buffer.alloc(length))
  let all = zeros(GIB4 / 4096)
  for (let length = GIB4 / 4096; length < GIB4; length *= 2) all = crc32Combine(all, all, length)
  const huge = { ...generatedEntry('huge', GIB4 + 5, { crc: false }), crc32: crc32Combine(all, zeros(5), 5) }
  const plan = planZip([huge, { ...generatedEntry('after', 1000, { crc: false }), crc32: zeros(1000) }])
  t.same(list(writeSparse(plan, 'huge.zip'), 'test'), expected(plan))
})
