import { useTranslation } from 'react-i18next'
import { Scene } from '../Scene.tsx'

/** Explains that browsers can't decrypt on pages that are loaded over http. */
export function Insecure() {
  const { t } = useTranslation()
  return <Scene asleep title={t('encrypted.insecureTitle')} text={t('encrypted.insecureText')} />
}
