import { useTranslation } from 'react-i18next'
import type { System } from '../../../../src/system/contract.ts'
import { Icon } from '../../../components/Icon.tsx'
import type { IconName } from '../../../components/icon-paths.ts'

const parts: { name: 'database' | 'queue' | 'storage'; icon: IconName }[] = [
  { name: 'database', icon: 'server' },
  { name: 'queue', icon: 'clock' },
  { name: 'storage', icon: 'archive' },
]

/** Shows whether each dependency of the application works, with the reason if it doesn't. */
export function Parts({ dependencies, engines }: Pick<System, 'dependencies' | 'engines'>) {
  const { t } = useTranslation()
  return (
    <ul className="parts">
      {parts.map(({ name, icon }) => {
        const { state, reason } = dependencies[name]
        return (
          <li key={name} className={`card part stack part-${state}`}>
            <span className="part-head toolbar">
              <span className="tile tile-large">
                <Icon name={icon} />
              </span>
              <span>
                <strong>{t(`system.${name}`)}</strong>
                <span className="soft">{t(`system.${name}.${engines[name]}`)}</span>
              </span>
              <span className={state === 'up' ? 'badge badge-good' : 'badge badge-danger'}>
                <Icon name={state === 'up' ? 'check' : 'close'} size={14} />
                {t(`system.${state}`)}
              </span>
            </span>
            {reason && <samp dir="auto">{reason}</samp>}
          </li>
        )
      })}
    </ul>
  )
}
