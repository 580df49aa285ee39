import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { squaresOf } from './qr-picture.ts'

/**
 * Shows a text as a QR code (ISO/IEC 18004), dark on light in every color scheme, so that cameras
 * can read it.
 */
export function QrCode({ text }: { text: string }) {
  const { t } = useTranslation()
  const code = useQuery({ queryKey: ['qr', text], queryFn: () => drawQr(text), staleTime: Number.POSITIVE_INFINITY })
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${code.data?.size ?? 1} ${code.data?.size ?? 1}`}
      role="img"
      aria-label={t('common.qrOf', { text })}
      shapeRendering="crispEdges"
    >
      {code.data && <path d={code.data.path} />}
    </svg>
  )
}

async function drawQr(text: string): Promise<{ size: number; path: string }> {
  const { size, data } = await squaresOf(text)
  const squares = Array.from(data, (dark, index) => (dark ? `M${index % size} ${Math.floor(index / size)}h1v1h-1z` : ''))
  return { size, path: squares.join('') }
}
