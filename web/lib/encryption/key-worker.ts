import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import { shareKeyOf } from '../../../uploader/encryption/keys.ts'

/** Derives the key of a share with a password, apart from the page. */
addEventListener('message', async ({ data }: MessageEvent<{ linkKey: Bytes; password: string }>) => {
  postMessage(await shareKeyOf(data.linkKey, data.password))
})
