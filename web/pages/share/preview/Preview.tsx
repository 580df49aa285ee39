import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../../src/invisible-characters.ts'
import { kindOf } from '../../../lib/file-kinds.ts'
import { fileAddress } from '../../../lib/share-addresses.ts'
import type { SharedFile } from '../folders.ts'
import { TextPreview } from './TextPreview.tsx'

/** One file shown by the browser's own means; a sentence where it cannot. */
export function Preview({ shareId, file }: { shareId: string; file: SharedFile }) {
  const { t } = useTranslation()
  const [failed, setFailed] = useState(false)
  const address = fileAddress(shareId, file.id, true)
  const fail = () => setFailed(true)
  const shown: Partial<Record<ReturnType<typeof kindOf>, () => ReactNode>> = {
    image: () => <img src={address} alt={showInvisible(file.name)} onError={fail} />,
    // biome-ignore lint/a11y/useMediaCaption: somebody else's film
    video: () => <video src={address} controls autoPlay playsInline onError={fail} />,
    // biome-ignore lint/a11y/useMediaCaption: somebody else's sound
    audio: () => <audio src={address} controls autoPlay onError={fail} />,
    ...(navigator.pdfViewerEnabled && { pdf: () => <iframe src={address} title={showInvisible(file.name)} /> }),
    text: () => <TextPreview address={address} size={Number(file.size)} onFail={fail} />,
  }
  const show = failed ? undefined : shown[kindOf(file.name)]
  return show ? show() : <p className="soft preview-none">{t('preview.unsupported')}</p>
}
