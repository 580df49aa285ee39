import type { TFunction } from 'i18next'
import { logoMaxBytes, logoMaxPixels } from '../../../../src/config/limits.ts'
import { formatBytes } from '../../../lib/format.ts'

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] // PNG, third edition, 5.2

/**
 * Returns why a file can't be the logo, or null if it passes the browser's checks. The server
 * checks it again.
 */
export async function logoProblem(t: TFunction, file: File): Promise<string | null> {
  if (file.size > logoMaxBytes) return t('config.logo.tooManyBytes', { size: formatBytes(logoMaxBytes) })
  const head = new Uint8Array(await file.slice(0, signature.length).arrayBuffer())
  if (signature.some((byte, index) => head[index] !== byte)) return t('error.logo_not_png')
  const image = await createImageBitmap(file).catch(() => null)
  if (!image) return t('error.logo_not_png')
  const { width, height } = image
  image.close()
  if (width !== height) return t('error.logo_not_square')
  return width > logoMaxPixels ? t('error.logo_too_large', { maxPixels: logoMaxPixels }) : null
}
