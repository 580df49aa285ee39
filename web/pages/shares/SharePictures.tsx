import { useState } from 'react'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import { iconOf } from '../../lib/file-kinds.ts'
import { thumbnailOf } from '../../lib/pictures.ts'
import './share-pictures.css'

/** Shows the pictures among a share's first files: one in a row, all on a card. */
export function SharePictures({ share }: { share: OwnShare }) {
  const [failed, setFailed] = useState<readonly string[]>([])
  const pictures = picturesOf(share).filter((address) => !failed.includes(address))
  const [first] = share.files
  return (
    <span className="share-pictures tile tile-large" data-empty={pictures.length === 0}>
      {pictures.map((address) => (
        <img key={address} src={address} alt="" loading="lazy" decoding="async" onError={() => setFailed([...failed, address])} />
      ))}
      {pictures.length === 0 && <Icon name={share.kind === 'text' ? 'text' : iconOf(first?.name ?? '')} />}
    </span>
  )
}

/** An expired share's pictures can't be loaded, not even by its owner. */
function picturesOf({ id, kind, files, keptUntil }: OwnShare): string[] {
  return kind === 'text' || keptUntil !== null ? [] : files.flatMap((file) => thumbnailOf(id, file) ?? [])
}
