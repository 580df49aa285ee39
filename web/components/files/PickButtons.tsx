import { Button } from 'antd'
import { type ChangeEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { sourceOf } from '../../lib/upload/picked-files.ts'
import { Icon } from '../Icon.tsx'

const picksFolders = 'webkitdirectory' in HTMLInputElement.prototype

interface Props {
  onFiles(files: FileSource[]): void
  /** The buttons are what the page is for, now. */
  prominent?: boolean
  /** Types that the picker of files offers, as in the attribute `accept`. */
  accept?: string
}

/** Opens the browser's own pickers, for files and for a whole folder. */
export function PickButtons({ onFiles, prominent = false, accept }: Props) {
  const { t } = useTranslation()
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const size = prominent ? 'large' : 'middle'
  const take = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(currentTarget.files ?? [])].map((file) => sourceOf(file)))
    currentTarget.value = '' // so that the same file can be picked again
  }
  return (
    <>
      <input ref={files} type="file" multiple accept={accept} hidden onChange={take} data-testid="files" />
      <Button
        className="pick-files"
        type={prominent ? 'primary' : 'default'}
        size={size}
        icon={<Icon name="plus" size={18} />}
        onClick={() => files.current!.click()}
      >
        {t(prominent ? 'upload.chooseFiles' : 'upload.addFiles')}
      </Button>
      {picksFolders && (
        <>
          <input ref={folder} type="file" webkitdirectory="" hidden onChange={take} data-testid="folder" />
          <Button className="pick-folder" size={size} icon={<Icon name="folder" size={18} />} onClick={() => folder.current!.click()}>
            {t(prominent ? 'upload.chooseFolder' : 'upload.addFolder')}
          </Button>
        </>
      )}
    </>
  )
}
