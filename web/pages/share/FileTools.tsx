import { useTranslation } from 'react-i18next'
import type { FileView } from '../../../src/pages/page-html.ts'
import { Icon } from '../../components/Icon.tsx'
import { useHydrated } from '../../lib/hydration.tsx'
import type { Selection } from './selection/use-selection.ts'

interface Props {
  view: FileView
  selection: Selection
  /** Whether all files are loaded, so that they can be selected. */
  isLoaded: boolean
  onView(view: FileView): void
}

/** Buttons above the files: to select some of them, and to show them as a list or a grid. */
export function FileTools({ view, selection, isLoaded, onView }: Props) {
  const { t } = useTranslation()
  const hydrated = useHydrated()
  const other = view === 'list' ? 'grid' : 'list'
  return (
    <div className="file-tools line">
      <button
        type="button"
        className="text-button select-button"
        disabled={!hydrated || !isLoaded}
        aria-pressed={selection.isOn}
        onClick={selection.isOn ? selection.clear : selection.turnOn}
      >
        {t(selection.isOn ? 'share.endSelection' : 'share.select')}
      </button>
      <button
        type="button"
        className="icon-button"
        disabled={!hydrated}
        aria-label={t(`share.view.${other}`)}
        title={t(`share.view.${other}`)}
        onClick={() => onView(other)}
      >
        <Icon name={other} />
      </button>
    </div>
  )
}
