import type { FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../../errors.ts'
import type { Viewer } from '../guard.ts'
import { isAutomatic } from '../visits.ts'
import { type Counting, type Item, visitOf } from './transfer.ts'

type Recording = Pick<Counting, 'now' | 'recorder' | 'sealer'>

/** The refusals that the owner sees. */
const refusals = new Set<ErrorCode>([
  'wrong_password',
  'wrong_code',
  'share_max_views_exceeded',
  'share_max_downloads_exceeded',
  'download_in_progress',
])

/**
 * Runs `work`, and records for the owner that a visitor was refused.
 * @throws the errors of `work`
 */
export async function recordingRefusal<T>(ctx: Recording, request: FastifyRequest, viewer: Viewer, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && refusals.has(error.code))
      ctx.recorder.event({ ...visitOf(ctx, request, viewer), kind: 'refused', reason: error.code })
    throw error
  }
}

/** Records for the owner that a visitor got the address of a file at the store. */
export function recordHandOver(ctx: Recording, request: FastifyRequest, viewer: Viewer, item: Item): void {
  if (viewer.by === 'owner' || request.method !== 'GET' || isAutomatic(request, viewer)) return
  ctx.recorder.event({ ...visitOf(ctx, request, viewer), kind: 'handed-out', ...item })
}
