import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { showInvisible } from '../../../src/invisible-characters.ts'
import { Icon } from '../../components/Icon.tsx'
import { folderPath } from '../../lib/share-addresses.ts'

/**
 * Folders shown at most. Each link repeats the path, so all folders of a long path from the address
 * bar would make megabytes of HTML.
 */
const shownFolders = 12

/**
 * Shows the path of the current folder with links to the folders above, the nearest of a long path.
 */
export function FolderPath({ shareId, folder }: { shareId: string; folder: string }) {
  const { t } = useTranslation()
  const names = folder.split('/')
  const hidden = Math.max(0, names.length - shownFolders)
  return (
    <nav className="folder-path toolbar" aria-label={t('share.folderPath')}>
      <Link className="text-button" href={folderPath(shareId, '')}>
        {t('share.allFiles')}
      </Link>
      {hidden > 0 && (
        <>
          <Icon name="chevron" size={16} />
          <span>…</span>
        </>
      )}
      {names.slice(hidden).map((name, index) => {
        const path = names.slice(0, hidden + index + 1).join('/')
        return (
          <Fragment key={path}>
            <Icon name="chevron" size={16} />
            <Link className="text-button" href={folderPath(shareId, path)} aria-current={path === folder ? 'location' : undefined}>
              <bdi>{showInvisible(name)}</bdi>
            </Link>
          </Fragment>
        )
      })}
    </nav>
  )
}
