import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { System } from '../../../../src/system/contract.ts'
import { formatNumber } from '../../../lib/format.ts'
import { settings } from '../../../start.ts'
import { Facts } from './Facts.tsx'

/** Shows the waiting and failed emails and the last error. */
export function Mails({ mails: { waiting, failed, lastError } }: Pick<System, 'mails'>) {
  const { t } = useTranslation()
  return (
    <section className="card system-card stack" aria-labelledby="mails">
      <h2 id="mails">{t('system.mail')}</h2>
      <Facts
        facts={[
          [t('system.mailWaiting'), formatNumber(waiting)],
          [t('system.mailFailed'), formatNumber(failed)],
        ]}
      />
      {lastError && (
        <div className="notice notice-danger">
          <div>
            <p>{t('system.mailLastError')}</p>
            <samp dir="auto">{lastError}</samp>
          </div>
        </div>
      )}
      <p className="soft">
        {!settings['smtp.enabled'] && t('error.smtp_disabled')} <Link href="/admin/config/smtp">{t('system.mailSettings')}</Link>
      </p>
    </section>
  )
}
