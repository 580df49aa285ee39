import type { Source } from './core/source.ts'
import { readQuantum } from './filebrowser/quantum.ts'
import { readFileBrowser } from './filebrowser/read.ts'
import { readGokapi } from './gokapi/read.ts'
import { readPalmr } from './palmr/read.ts'
import { readPingvin } from './pingvin/read.ts'

/** Where a product's data is. */
export interface Paths {
  /** The data folder, or the database if it is a file of its own. */
  data: string
  /** The folder of the files, if it is another one. */
  files: string | null
}

const readers = {
  filebrowser: ({ data, files }) => readFileBrowser(data, files),
  'filebrowser-quantum': ({ data, files }) => readQuantum(data, files),
  gokapi: ({ data, files }) => readGokapi(data, files),
  palmr: ({ data, files }) => readPalmr(data, files),
  pingvin: ({ data }) => readPingvin(data),
} satisfies Record<string, (paths: Paths) => Source | Promise<Source>>

/** A product with an importer. */
export type Product = keyof typeof readers
export const products = Object.keys(readers) as Product[]

/** Whether there is an importer for a product of this name. */
export function isProduct(name: string): name is Product {
  return Object.hasOwn(readers, name)
}

/**
 * Reads a product's data without changing it.
 *
 * @throws {StartError} the data is missing or can't be read
 */
export async function readSource(product: Product, paths: Paths): Promise<Source> {
  return readers[product](paths)
}
