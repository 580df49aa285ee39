import { thumbnailMaxBytes } from '../../../uploader/encryption/share-content.ts'

/** Pixels of the longer side. */
const side = 160
const qualities = [0.7, 0.4]

/** Makes a thumbnail of an image, apart from the page. Replies with WebP bytes, or null. */
addEventListener('message', async ({ data, ports }: MessageEvent<Blob>) => {
  ports[0]?.postMessage(await thumbnail(data).catch(() => null)) // this browser can't decode it
})

async function thumbnail(image: Blob): Promise<ArrayBuffer | null> {
  const bitmap = await createImageBitmap(image)
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height))
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(bitmap.width * scale)), Math.max(1, Math.round(bitmap.height * scale)))
  const context = canvas.getContext('2d')
  if (!context) return null
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  for (const quality of qualities) {
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality })
    if (blob.type === 'image/webp' && blob.size <= thumbnailMaxBytes) return blob.arrayBuffer()
  }
  return null
}
