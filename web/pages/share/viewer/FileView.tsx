import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../../src/invisible-characters.ts'
import type { SharedFile } from '../../../../src/shares/contract.ts'
import { Icon } from '../../../components/Icon.tsx'
import { iconOf, kindOf } from '../../../lib/file-kinds.ts'
import { picturesOf } from '../../../lib/pictures.ts'
import { fileAddress, pictureAddress } from '../../../lib/share-addresses.ts'
import { PictureView } from './PictureView.tsx'
import { TextView } from './TextView.tsx'

interface Props {
  shareId: string
  file: SharedFile
  onStep(offset: number): void
  onClose(): void
}

/** Shows a file in the view for its kind, or explains why it can't be shown. */
export function FileView({ shareId, file, onStep, onClose }: Props) {
  const { t } = useTranslation()
  const [failed, setFailed] = useState(false)
  const kind = kindOf(file.name)
  const name = showInvisible(file.name.slice(file.name.lastIndexOf('/') + 1))
  const address = fileAddress(shareId, file.id, true)
  const fail = () => setFailed(true)
  const picture = () => (
    <PictureView {...picturesOf(shareId, file)} file={file} name={name} onStep={onStep} onClose={onClose} onFail={fail} />
  )
  const views: Partial<Record<ReturnType<typeof kindOf>, () => ReactNode>> = {
    image: picture,
    video: () => <VideoView shareId={shareId} file={file} onFail={fail} />,
    audio: () => (
      <div className="viewer-center stack">
        <Icon name="audio" size={64} />
        {/* biome-ignore lint/a11y/useMediaCaption: the uploader provides no captions */}
        <audio src={address} controls preload="metadata" onError={fail} />
      </div>
    ),
    ...(navigator.pdfViewerEnabled ? { pdf: () => <iframe src={address} title={name} /> } : file.preview && { pdf: picture }),
    text: () => <TextView name={file.name} address={address} size={Number(file.size)} onFail={fail} />,
  }
  const view = failed ? undefined : views[kind]
  if (Number(file.size) === 0) return <Note icon={iconOf(file.name)}>{t('preview.empty')}</Note>
  return view ? view() : <Note icon={iconOf(file.name)}>{t('preview.unsupported')}</Note>
}

/** Plays a video after a click. Until then it shows the frame that the server has taken from it. */
function VideoView({ shareId, file, onFail }: { shareId: string; file: SharedFile; onFail(): void }) {
  return (
    // biome-ignore lint/a11y/useMediaCaption: the uploader provides no captions
    <video
      src={fileAddress(shareId, file.id, true)}
      poster={file.preview && pictureAddress(shareId, file.id, 'preview')}
      controls
      playsInline
      preload="metadata"
      onError={onFail}
    />
  )
}

function Note({ icon, children }: { icon: ReturnType<typeof iconOf>; children: string }) {
  return (
    <div className="viewer-center stack soft">
      <Icon name={icon} size={64} />
      <p>{children}</p>
    </div>
  )
}
