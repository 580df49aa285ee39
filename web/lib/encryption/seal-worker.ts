import { crc32 } from '../../../uploader/crc32.ts'
import { sealSegment } from '../../../uploader/encryption/records.ts'
import type { SegmentToSeal } from './sealing.ts'

/** Reads, checksums and encrypts segments, apart from the page. */
addEventListener('message', async ({ data, ports }: MessageEvent<SegmentToSeal>) => {
  const { plain, key, position } = data
  try {
    const content = new Uint8Array(await plain.arrayBuffer())
    const sealed = await sealSegment(key, position, content)
    ports[0]?.postMessage({ sealed, crc32: crc32(content) }, [sealed.buffer])
  } catch (error) {
    ports[0]?.postMessage({ error })
  }
})
