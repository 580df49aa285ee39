import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { chooseRemoval, removesPhotoData } from '../../lib/upload/photo-data.ts'
import { HintedCheckbox } from '../share-form/HintedCheckbox.tsx'

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
  return <HintedCheckbox label={t('upload.photoData')} hint={t('upload.photoDataKinds')} checked={isOn} onChange={choose} />
}
