import { type Static, Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { ShareParams } from '../../shares/contract.ts'
import { NewFile } from '../contract.ts'
import { packFilesMax } from './limits.ts'

/** The first line of a pack: its files, whose bytes follow in the same order. */
export const PackManifest = Type.Object(
  {
    id: Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{8}0000$',
      description: 'a random UUID whose last four digits are replaced with 0000; the digits of a file are its position, from 0',
      'x-rule': 'must be a lower-case UUID that ends in 0000',
    }),
    files: Type.Array(NewFile, { minItems: 1, maxItems: packFilesMax }),
  },
  { additionalProperties: false },
)
export type PackManifest = Static<typeof PackManifest>

export const StoredPack = Type.Object({
  files: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer({ description: 'bytes' }) })),
})
export type StoredPack = Static<typeof StoredPack>

export const packsContract = {
  'POST /api/shares/:id/packs': {
    summary:
      'Upload up to 256 small files of together 8 MiB in one request, all or none: one line of JSON (the manifest) and, after its line feed, their bytes in order. Safe to repeat with the same manifest',
    params: ShareParams,
    consumes: { 'application/octet-stream': null },
    response: StoredPack,
    status: 201,
  },
} satisfies Contract
