import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import { Icon } from '../../components/Icon.tsx'

/** Where in the share the list is, and the way back up. */
export function FolderPath({ folder, onOpen }: { folder: string; onOpen(path: string): void }) {
  const { t } = useTranslation()
  const names = folder.split('/')
  return (
    <nav className="folder-path" aria-label={t('share.folderPath')}>
      <button type="button" className="text-button" onClick={() => onOpen('')}>
        {t('share.allFiles')}
      </button>
      {names.map((name, index) => {
        const path = names.slice(0, index + 1).join('/')
        const here = path === folder
        return (
          <Fragment key={path}>
            <Icon name="chevron" size={16} />
            <button type="button" className="text-button" aria-current={here ? 'location' : undefined} onClick={() => onOpen(path)}>
              <bdi>{showInvisible(name)}</bdi>
            </button>
          </Fragment>
        )
      })}
    </nav>
  )
}
