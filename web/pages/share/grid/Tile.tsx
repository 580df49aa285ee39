import { type MouseEvent, memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { showInvisible } from '../../../../src/invisible-characters.ts'
import type { SharedFile } from '../../../../src/shares/contract.ts'
import { RepeatedIcon } from '../../../components/Icon.tsx'
import { iconOf, isPreviewable, kindOf } from '../../../lib/file-kinds.ts'
import { thumbnailOf } from '../../../lib/pictures.ts'
import { fileAddress, folderPath } from '../../../lib/share-addresses.ts'
import { type Entry, keyOf, pathIn } from '../folders.ts'
import { openOrPick } from '../selection/open-or-pick.ts'
import { PickBox } from '../selection/PickBox.tsx'
import type { Pick, Picked } from '../selection/use-selection.ts'

interface Props {
  shareId: string
  folder: string
  entry: Entry
  /** The place in a grid of which only a part is rendered. */
  position: { index: number; count: number } | null
  /** Whether it is rendered only because it has the keyboard focus. */
  isKept: boolean
  picked?: Picked
  /** Whether a click selects instead of opening. */
  isOn?: boolean
  onPick?: Pick
  onPreview(file: SharedFile): void
}

/** Shows a file by its picture, or a folder, with the name below. */
export const Tile = memo(function Tile({ shareId, folder, entry, position, isKept, picked, isOn, onPick, onPreview }: Props) {
  const { t } = useTranslation()
  const { file, name } = entry
  const shownName = showInvisible(name)
  const key = keyOf(entry)
  const preview = file && isPreviewable(file.name) ? () => onPreview(file) : undefined
  const open = (event: MouseEvent) => openOrPick(event, { key, isOn, onPick, open: preview })
  const face = (
    <>
      <span className="tile-frame">
        <Picture shareId={shareId} entry={entry} />
      </span>
      <bdi className="tile-name small">{shownName}</bdi>
    </>
  )
  return (
    <li
      data-key={key}
      className={isKept ? 'tile-kept' : undefined}
      {...(position && { 'aria-posinset': position.index + 1, 'aria-setsize': position.count })}
    >
      {file ? (
        <a
          className="tile-link"
          href={fileAddress(shareId, file.id, preview !== undefined)}
          download={preview ? undefined : ''}
          title={shownName}
          onClick={open}
        >
          {face}
        </a>
      ) : (
        <Link
          className="tile-link"
          href={folderPath(shareId, pathIn(folder, name))}
          title={`${shownName}, ${t('share.files', { count: entry.count })}`}
          onClickCapture={open}
        >
          {face}
        </Link>
      )}
      {onPick && (
        <PickBox label={t('share.selectOne', { name: shownName })} picked={picked ?? false} onPick={(extend) => onPick(key, extend)} />
      )}
    </li>
  )
})

function Picture({ shareId, entry: { file, name } }: { shareId: string; entry: Entry }) {
  const [failed, setFailed] = useState(false)
  const thumbnail = file && !failed ? thumbnailOf(shareId, file) : null
  if (!file || !thumbnail) return <RepeatedIcon name={file ? iconOf(name) : 'folder'} />
  return (
    <>
      <img
        src={thumbnail}
        alt=""
        loading="lazy"
        decoding="async"
        width={file.preview?.width}
        height={file.preview?.height}
        onError={() => setFailed(true)}
      />
      {kindOf(name) === 'video' && (
        <span className="tile-play">
          <RepeatedIcon name="play" />
        </span>
      )}
    </>
  )
}
