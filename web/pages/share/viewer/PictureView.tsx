import { useRef, useState } from 'react'
import type { SharedFile } from '../../../../src/shares/contract.ts'
import { useGestures } from './use-gestures.ts'

interface Props {
  /** The address of a picture that fits most screens. */
  fitting: string
  /** The address of the picture in its full resolution, for a closer look; null: there is none. */
  full: string | null
  file: SharedFile
  name: string
  onStep(offset: number): void
  onClose(): void
  onFail(): void
}

/** Shows a picture, which can be swiped, pinched and enlarged. */
export function PictureView({ fitting, full, file, name, onStep, onClose, onFail }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [isEnlarged, setEnlarged] = useState(false)
  const [fullIsLoaded, setFullLoaded] = useState(false)
  useGestures(frame, { onStep, onClose, onEnlarge: () => setEnlarged(true) })
  return (
    <div ref={frame} className="viewer-picture">
      <img
        src={fullIsLoaded && full ? full : fitting}
        alt={name}
        width={file.preview?.width}
        height={file.preview?.height}
        draggable={false}
        onError={onFail}
      />
      {isEnlarged && full && !fullIsLoaded && (
        <img className="visually-hidden" src={full} alt="" aria-hidden="true" onLoad={() => setFullLoaded(true)} />
      )}
    </div>
  )
}
