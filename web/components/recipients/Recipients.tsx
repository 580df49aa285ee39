import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import type { TFunction } from 'i18next'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Recipient } from '../../../src/shares/contract.ts'
import { api } from '../../api.ts'
import { errorText } from '../../lib/error-text.ts'
import { useNotify } from '../../lib/notify.tsx'
import { Icon } from '../Icon.tsx'
import type { IconName } from '../icon-paths.ts'
import { TimeText } from '../TimeText.tsx'
import { AddRecipients } from './AddRecipients.tsx'
import { canHaveRecipients } from './addresses.ts'
import { useRecipients } from './queries.ts'
import './recipients.css'

const icons: Record<Recipient['state'], IconName> = { waiting: 'clock', queued: 'clock', sent: 'check', failed: 'info' }

/**
 * Lists the recipients of a share with the state of their emails. Failed emails can be sent again
 * and recipients added.
 */
export function Recipients({ shareId, editing }: { shareId: string; editing: boolean }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const { recipients } = useRecipients(shareId)
  const retry = useMutation({
    mutationFn: async (failed: Recipient[]) => {
      for (const { id } of failed) {
        await api('POST /api/shares/:id/recipients/:recipientId/retry', { params: { id: shareId, recipientId: id } })
      }
    },
    onError: notify.error,
    onSettled: () => queries.invalidateQueries({ queryKey: ['recipients', shareId] }),
  })
  const list = useRef<HTMLUListElement>(null)
  const sendAgain = (failed: Recipient[]) => {
    list.current?.focus({ preventScroll: true }) // the retry button is removed
    retry.mutate(failed)
  }
  const recipientList = recipients.data ?? []
  const failed = recipientList.filter(({ state }) => state === 'failed')
  return (
    <div className="recipients stack">
      {recipients.isError && (
        <p className="recipient-why small" role="alert">
          {errorText(t, recipients.error)}
        </p>
      )}
      {recipientList.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard
        <ul ref={list} className="recipient-list ruled" tabIndex={0} aria-label={t('shares.recipients')}>
          {recipientList.map((recipient) => (
            <RecipientRow key={recipient.id} recipient={recipient} busy={retry.isPending} onRetry={() => sendAgain([recipient])} />
          ))}
        </ul>
      )}
      <p className="visually-hidden" role="status">
        {recipientList.length > 0 && summary(t, recipientList)}
      </p>
      {failed.length > 1 && canHaveRecipients() && (
        <div className="actions">
          <Button icon={<Icon name="refresh" size={18} />} loading={retry.isPending} onClick={() => sendAgain(failed)}>
            {t('recipients.retryAll')}
          </Button>
        </div>
      )}
      {canHaveRecipients() && recipients.data && (
        <AddRecipients shareId={shareId} editing={editing} present={recipientList.map(({ email }) => email)} />
      )}
    </div>
  )
}

function RecipientRow({ recipient, busy, onRetry }: { recipient: Recipient; busy: boolean; onRetry(): void }) {
  const { t } = useTranslation()
  const { email, state, error, sentAt } = recipient
  return (
    <li className={`recipient recipient-${state}`}>
      <span className="recipient-mark tile">
        <Icon name={icons[state]} size={18} />
      </span>
      <span className="recipient-words lines">
        <bdi>{email}</bdi>
        {state === 'failed' ? (
          <span className="recipient-why small">
            {error ? t('recipients.failedBecause', { reason: error }) : t('recipients.state.failed')}
          </span>
        ) : (
          <span className="soft">
            {t(`recipients.state.${state}`)} {sentAt && <TimeText iso={sentAt} />}
          </span>
        )}
      </span>
      {state === 'failed' && canHaveRecipients() && (
        <button
          type="button"
          className="icon-button"
          disabled={busy}
          title={t('common.retry')}
          aria-label={t('recipients.retryOf', { email })}
          onClick={onRetry}
        >
          <Icon name="refresh" />
        </button>
      )}
    </li>
  )
}

/** Returns a summary of how many emails were sent, are pending, and have failed. */
function summary(t: TFunction, recipientList: Recipient[]): string {
  const counts = { sent: 0, open: 0, failed: 0 }
  for (const { state } of recipientList) counts[state === 'sent' || state === 'failed' ? state : 'open']++
  return t('recipients.summary', counts)
}
