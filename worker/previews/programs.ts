import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Context } from '../../src/context.ts'
import type { PreviewKind } from '../../src/previews/kinds.ts'
import { isolationOf } from './isolation.ts'
import { workFolder } from './work-folder.ts'

type Tools = Pick<Context, 'env' | 'log'>

const names = ['vipsthumbnail', 'vipsheader', 'ffmpeg', 'pdftoppm', 'bwrap'] as const
type Name = (typeof names)[number]

/** The installed programs that previews are made with. */
export interface Programs {
  /** The path of each program. */
  paths: Partial<Record<Name, string>>
  /** What previews can be made of. */
  kinds: PreviewKind[]
  /** The command prefix that isolates a program; empty where the system forbids it. */
  isolation(folder: string): string[]
}

let found: Promise<Programs> | undefined

/** Finds the programs on the PATH, once in the life of the process, and logs what was found. */
export function findPrograms(ctx: Tools): Promise<Programs> {
  found ??= search(ctx).catch((error) => {
    found = undefined
    throw error
  })
  return found
}

async function search({ env, log }: Tools): Promise<Programs> {
  const entries = await Promise.all(names.map(async (name) => [name, await pathOf(name)] as const))
  const paths = Object.fromEntries(entries.filter(([, path]) => path !== undefined)) as Programs['paths']
  const kinds = kindsOf(paths)
  const none: Programs = { paths, kinds: [], isolation: () => [] }
  if (kinds.length === 0) return none
  const folder = workFolder(env.dataDir)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (err) {
    log.warn({ err, folder }, 'previews are off because their folder cannot be created')
    return none
  }
  const isolation = paths.bwrap ? await isolationOf(paths.bwrap, paths.vipsheader as string, folder) : null
  log.info({ kinds, isolated: isolation !== null }, 'previews are on')
  return { ...none, kinds, isolation: isolation ?? none.isolation }
}

function kindsOf({ vipsthumbnail, vipsheader, ffmpeg, pdftoppm }: Programs['paths']): PreviewKind[] {
  if (!vipsthumbnail || !vipsheader) return []
  return ['image', 'raw', ...(ffmpeg ? (['video'] as const) : []), ...(pdftoppm ? (['document'] as const) : [])]
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

async function pathOf(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    if (folder.startsWith('/') && (await isExecutable(path))) return path
  }
  return undefined
}
