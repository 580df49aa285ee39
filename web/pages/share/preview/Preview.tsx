import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../../src/invisible-characters.ts'
import type { SharedFile } from '../../../../src/shares/contract.ts'
import { kindOf } from '../../../lib/file-kinds.ts'
import { fileAddress } from '../../../lib/share-addresses.ts'
import { TextPreview } from './TextPreview.tsx'

/** Shows a file with the browser's own viewer, or a note if the browser cannot show it. */
export function Preview({ shareId, file }: { shareId: string; file: SharedFile }) {
  const { t } = useTranslation()
  const [failed, setFailed] = useState(false)
  const address = fileAddress(shareId, file.id, true)
  const fail = () => setFailed(true)
  const viewers: Partial<Record<ReturnType<typeof kindOf>, () => ReactNode>> = {
    image: () => <img src={address} alt={showInvisible(file.name)} onError={fail} />,
    // biome-ignore lint/a11y/useMediaCaption: the uploader provides no captions
    video: () => <video src={address} controls autoPlay playsInline onError={fail} />,
    // biome-ignore lint/a11y/useMediaCaption: the uploader provides no captions
    audio: () => <audio src={address} controls autoPlay onError={fail} />,
    ...(navigator.pdfViewerEnabled && { pdf: () => <iframe src={address} title={showInvisible(file.name)} /> }),
    text: () => <TextPreview address={address} size={Number(file.size)} onFail={fail} />,
  }
  const viewer = failed ? undefined : viewers[kindOf(file.name)]
  return viewer ? viewer() : <p className="soft preview-none">{t('preview.unsupported')}</p>
}
