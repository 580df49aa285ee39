import { saveBytes } from '../lib/start-download.ts'

const border = 4 // squares, as the standard asks for
const scale = 16 // pixels of one square

/** Returns the squares of a text's QR code (ISO/IEC 18004), row by row, and their number in a row. */
export async function squaresOf(text: string): Promise<{ size: number; data: Uint8Array }> {
  const { create } = await import('qrcode')
  return create(text, { errorCorrectionLevel: 'M' }).modules
}

/** Saves a text's QR code as a PNG file. */
export async function saveQr(text: string, fileName: string): Promise<void> {
  const { size, data } = await squaresOf(text)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = (size + 2 * border) * scale
  const picture = canvas.getContext('2d')!
  picture.fillStyle = '#fff'
  picture.fillRect(0, 0, canvas.width, canvas.height)
  picture.fillStyle = '#000'
  data.forEach((dark, index) => {
    if (dark) picture.fillRect(((index % size) + border) * scale, (Math.floor(index / size) + border) * scale, scale, scale)
  })
  saveBytes(await new Promise<Blob>((resolve) => canvas.toBlob((blob) => resolve(blob!))), fileName)
}
