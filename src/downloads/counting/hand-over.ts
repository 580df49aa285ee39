import type { HandOver } from '../bytes/send-bytes.ts'
import { sendfileHeaders } from '../bytes/sendfile.ts'
import { countVisit } from '../visits.ts'
import { recordHandOver, recordingRefusal } from './events.ts'
import type { Counting, Exchange, Item } from './transfer.ts'

/**
 * Returns how a proxy is made to send an object; null if this server sends the bytes, as it does
 * where downloads are limited, because it must know when one is complete. The visit is counted, and
 * the beginning of a file that no page shows is recorded as handed out.
 */
export function handOverToProxy(ctx: Counting, exchange: Exchange, objectKey: string, item: Item, shows = false): HandOver | null {
  const { request, reply, viewer } = exchange
  const headers = viewer.access.maxDownloads === null ? sendfileHeaders(ctx, request, objectKey) : null
  return (
    headers && {
      headers,
      async begin(range) {
        await recordingRefusal(ctx, request, viewer, () => countVisit(ctx, request, reply, viewer, { range, size: item.size }))
        if (range.start === 0 && !shows) recordHandOver(ctx, request, viewer, item)
      },
    }
  )
}
