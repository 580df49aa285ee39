import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { chooseRemoval, isPhoto, removesPhotoData } from '../../lib/upload/photo-data.ts'
import type { PickedFile } from './upload-session.ts'

/**
 * Offers to remove location and camera data, if photos are chosen. This browser remembers the
 * choice.
 */
export function PhotoDataSwitch({ files }: { files: readonly PickedFile[] }) {
  const { t } = useTranslation()
  const [isOn, setOn] = useState(removesPhotoData)
  if (!files.some(({ source }) => isPhoto(source))) return null
  const choose = (chosen: boolean) => {
    chooseRemoval(chosen)
    setOn(chosen)
  }
  return (
    <label className="photo-data line">
      <input type="checkbox" checked={isOn} onChange={({ target }) => choose(target.checked)} />
      <span className="lines">
        {t('upload.photoData')}
        <span className="small soft">{t('upload.photoDataHint')}</span>
      </span>
    </label>
  )
}
