import { type MouseEvent, useState } from 'react'
import type { SharePage } from '../../../src/shares/contract.ts'
import { ApiError } from '../../api.ts'
import { startDownload } from '../../lib/start-download.ts'

/**
 * Handles clicks on links that download something of a share whose downloads are limited. A browser
 * doesn't show why a download is refused, so the page requests it first. Returns the refusal.
 */
export function useLimitedDownloads({ downloadsLeft }: SharePage) {
  const [refusal, setRefusal] = useState<ApiError | null>(null)
  const handleClick = async (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[download]') : null
    if (downloadsLeft === undefined || !link || event.defaultPrevented || !event.isTrusted) return
    event.preventDefault()
    const refused = await refusalOf(link.href)
    if (refused) setRefusal(refused)
    else startDownload(link.href)
  }
  return { refusal, clearRefusal: () => setRefusal(null), handleClick }
}

/**
 * Requests the first two bytes of a limited download, and returns why it is refused, or null. The
 * server then keeps a place for this visitor, who can continue the download. One byte would count as
 * a probe.
 */
export async function refusalOf(href: string): Promise<ApiError | null> {
  try {
    const response = await fetch(href, { headers: { range: 'bytes=0-1' } })
    const text = await response.text()
    if (response.ok || response.status === 416) return null // an empty file has no first bytes
    const { error, ...details } = JSON.parse(text)
    return new ApiError(error, response.status, details)
  } catch {
    return new ApiError('network', 0)
  }
}
