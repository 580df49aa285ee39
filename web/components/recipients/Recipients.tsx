import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import type { TFunction } from 'i18next'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Recipient } from '../../../src/shares/contract.ts'
import { api } from '../../api.ts'
import { useNotify } from '../../lib/notify.tsx'
import { Icon } from '../Icon.tsx'
import { Loaded } from '../Part.tsx'
import { AddRecipients } from './AddRecipients.tsx'
import { canHaveRecipients } from './addresses.ts'
import { useRecipients } from './queries.ts'
import { type Opened, RecipientDialogs } from './RecipientDialogs.tsx'
import { type AddressedShare, RecipientRow } from './RecipientRow.tsx'
import './recipients.css'

interface Props {
  share: AddressedShare
  /** Whether emails to new recipients wait until the share is saved. */
  editing: boolean
}

/**
 * Lists the recipients of a share with the state of their emails, and what they have opened and
 * downloaded. Those whose email has failed come first. It stays up to date while it is visible.
 * Recipients can be emailed again, get a new link, and be removed and added.
 */
export function Recipients({ share, editing }: Props) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const { recipients } = useRecipients(share.id)
  const [opened, setOpened] = useState<Opened | null>(null)
  const refresh = () => queries.invalidateQueries({ queryKey: ['recipients', share.id] })
  const mail = useMutation({
    mutationFn: async (chosen: Recipient[]) => {
      for (const { id } of chosen)
        await api('POST /api/shares/:id/recipients/:recipientId/mail', { params: { id: share.id, recipientId: id } })
    },
    onError: notify.error,
    onSettled: refresh,
  })
  const list = useRef<HTMLUListElement>(null)
  const focusList = () => list.current?.focus({ preventScroll: true })
  const sendTo = (chosen: Recipient[]) => {
    focusList() // the button is removed
    mail.mutate(chosen)
  }
  return (
    <div className="recipients stack">
      <Loaded query={recipients}>
        {(rows) => {
          const failed = rows.filter(({ state }) => state === 'failed')
          return (
            <>
              <Summary share={share} recipients={rows} />
              {rows.length > 0 && (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard
                <ul ref={list} className="recipient-list ruled" tabIndex={0} aria-label={t('shares.recipients')}>
                  {[...failed, ...rows.filter(({ state }) => state !== 'failed')].map((recipient) => (
                    <RecipientRow
                      key={recipient.id}
                      share={share}
                      recipient={recipient}
                      busy={mail.isPending}
                      onMail={() => sendTo([recipient])}
                      onReplace={() => setOpened({ action: 'replace', recipient })}
                      onRemove={() => setOpened({ action: 'remove', recipient })}
                    />
                  ))}
                </ul>
              )}
              {failed.length > 1 && canHaveRecipients() && (
                <div className="actions">
                  <Button
                    className="recipients-retry"
                    icon={<Icon name="refresh" size={18} />}
                    loading={mail.isPending}
                    onClick={() => sendTo(failed)}
                  >
                    {t('recipients.retryAll')}
                  </Button>
                </div>
              )}
              {canHaveRecipients() && <AddRecipients share={share} editing={editing} present={rows.map(({ email }) => email)} />}
            </>
          )
        }}
      </Loaded>
      <RecipientDialogs shareId={share.id} opened={opened} onClose={() => setOpened(null)} onRemoved={focusList} />
    </div>
  )
}

/** Shows how many recipients have everything; for screen readers also the state of the emails. */
function Summary({ share: { kind }, recipients }: { share: AddressedShare; recipients: readonly Recipient[] }) {
  const { t } = useTranslation()
  const total = recipients.length
  if (total === 0) return <p className="soft">{t('recipients.empty')}</p>
  const isKnown = recipients.some(({ downloaded }) => downloaded !== null)
  const count = recipients.filter(({ downloaded }) => downloaded === 'all').length
  return (
    <>
      {isKnown && <p>{t(kind === 'text' ? 'recipients.haveOpened' : 'recipients.haveDownloaded', { count, total })}</p>}
      <p className="visually-hidden" role="status">
        {mailSummary(t, recipients)}
      </p>
    </>
  )
}

/** Returns a summary of how many emails were sent, are pending, and have failed. */
function mailSummary(t: TFunction, recipients: readonly Recipient[]): string {
  const counts = { sent: 0, open: 0, failed: 0 }
  for (const { state } of recipients) counts[state === 'sent' || state === 'failed' ? state : 'open']++
  return t('recipients.summary', counts)
}
