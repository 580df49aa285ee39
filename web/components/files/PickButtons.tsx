import { Button } from 'antd'
import { type ChangeEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FileSource } from '../../../uploader/types.ts'
import { inOrder, sourcesOf } from '../../lib/upload/picked-files.ts'
import { Icon } from '../Icon.tsx'

/** Shows the progress of reading only if it takes longer. */
const slowly = { delay: 300 } // ms

const canPickFolders = 'webkitdirectory' in HTMLInputElement.prototype

interface Props {
  onFiles(files: FileSource[]): void
  /** Makes the buttons large, as the main actions of the page. */
  prominent?: boolean
  /** File types that the file picker offers, in the format of the attribute `accept`. */
  accept?: string
}

/** Buttons that open the browser's pickers for files and for a folder. */
export function PickButtons({ onFiles, prominent = false, accept }: Props) {
  const { t } = useTranslation()
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const size = prominent ? 'large' : 'middle'
  const [reading, setReading] = useState<'files' | 'folder' | null>(null)
  const addPicked = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const isFolder = currentTarget === folder.current
    const picked = [...(currentTarget.files ?? [])]
    currentTarget.value = '' // so that the same file can be picked again
    setReading(isFolder ? 'folder' : 'files')
    const sources = await sourcesOf(picked)
    setReading(null)
    onFiles(isFolder ? inOrder(sources) : sources)
  }
  return (
    <>
      <input ref={files} type="file" multiple accept={accept} hidden onChange={addPicked} data-testid="files" />
      <Button
        className="pick-files"
        type={prominent ? 'primary' : 'default'}
        size={size}
        icon={<Icon name="plus" size={18} />}
        loading={reading === 'files' && slowly}
        onClick={() => files.current?.click()}
      >
        {t(prominent ? 'upload.chooseFiles' : 'upload.addFiles')}
      </Button>
      {canPickFolders && (
        <>
          <input ref={folder} type="file" webkitdirectory="" hidden onChange={addPicked} data-testid="folder" />
          <Button
            className="pick-folder"
            size={size}
            icon={<Icon name="folder" size={18} />}
            loading={reading === 'folder' && slowly}
            onClick={() => folder.current?.click()}
          >
            {t(prominent ? 'upload.chooseFolder' : 'upload.addFolder')}
          </Button>
        </>
      )}
    </>
  )
}
