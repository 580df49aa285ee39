import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { chooseRemoval, removesPhotoData } from '../../lib/upload/photo-data.ts'

/**
 * Offers to remove location and camera data from photos and videos before they are uploaded. This
 * browser remembers the choice.
 */
export function PhotoDataSwitch() {
  const { t } = useTranslation()
  const [isOn, setOn] = useState(removesPhotoData)
  const choose = (chosen: boolean) => {
    chooseRemoval(chosen)
    setOn(chosen)
  }
  return (
    <label className="photo-data line">
      <input type="checkbox" checked={isOn} onChange={({ target }) => choose(target.checked)} />
      <span className="lines">
        {t('upload.photoData')}
        <span className="small soft">{t('upload.photoDataKinds')}</span>
      </span>
    </label>
  )
}
