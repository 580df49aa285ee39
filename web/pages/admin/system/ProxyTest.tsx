import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../components/Icon.tsx'
import { checkPieces, checkQuiet, checkRequest, type ProxyCheck } from './proxy-checks.ts'

/**
 * Tests the connection between this browser and the server, and shows what to change in a proxy.
 */
export function ProxyTest() {
  const { t } = useTranslation()
  const [checks, setChecks] = useState<ProxyCheck[]>([])
  const [isRunning, setIsRunning] = useState(false)

  async function run() {
    setIsRunning(true)
    setChecks([])
    const add = (...more: ProxyCheck[]) => setChecks((earlier) => [...earlier, ...more])
    const quiet = checkQuiet()
    add(...(await checkRequest()))
    add(await checkPieces())
    add(await quiet)
    setIsRunning(false)
  }

  return (
    <section className="card system-card stack" aria-labelledby="proxy-test">
      <h2 id="proxy-test">{t('system.proxy')}</h2>
      <p className="soft">{t('system.proxy.text')}</p>
      <ul className="ruled" aria-live="polite" hidden={checks.length === 0}>
        {checks.map((check) => (
          <Check key={check.name} check={check} />
        ))}
      </ul>
      <p>
        <Button icon={<Icon name="refresh" size={18} />} loading={isRunning} onClick={run}>
          {t(isRunning ? 'system.proxy.running' : 'system.proxy.start')}
        </Button>
      </p>
    </section>
  )
}

function Check({ check: { name, outcome, details } }: { check: ProxyCheck }) {
  const { t } = useTranslation()
  const isGood = outcome === 'ok' || outcome === 'fast'
  return (
    <li className="proxy-check">
      <span className={isGood ? 'badge badge-good' : 'badge badge-danger'}>
        <Icon name={isGood ? 'check' : 'close'} size={14} />
        {t(isGood ? 'system.up' : 'system.proxy.problem')}
      </span>
      <span>{t(`system.proxy.${name}.${outcome}`, details)}</span>
    </li>
  )
}
