import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { deviceName } from '../devices.ts'
import type { UploadLinkEvent } from './queries.ts'
import type { Recording } from './recorder.ts'
import { networkName, visitorName } from './visitors.ts'

export type RecordingLinks = Pick<Context, 'now' | 'sealer'> & Recording

type UploadLinkAction = Pick<UploadLinkEvent, 'kind' | 'shareId' | 'senderName' | 'senderEmail' | 'files' | 'bytes' | 'reason'>

/** Records for the owner of an upload link what a visitor did with it. */
export function recordUploadLink(ctx: RecordingLinks, request: FastifyRequest, reverseShareId: string, action: UploadLinkAction): void {
  ctx.recorder.event({
    ...action,
    reverseShareId,
    linkUid: reverseShareId,
    visitor: visitorName(ctx, request, reverseShareId),
    network: networkName(ctx, request, reverseShareId),
    at: ctx.now(),
    device: deviceName(request.headers['user-agent']),
    address: request.ip ?? null,
  })
}
