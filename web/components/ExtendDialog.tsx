import { useQueryClient } from '@tanstack/react-query'
import { Form, Radio } from 'antd'
import { useTranslation } from 'react-i18next'
import { api } from '../api.ts'
import { formatDuration, formatTime } from '../lib/format.ts'
import { useNotify } from '../lib/notify.tsx'
import { FormDialog } from './FormDialog.tsx'
import { endOf, initialExpiration, latestExpiration, parseExpiration } from './share-form/expiration.ts'
import { expirationRules } from './share-form/expiration-rules.ts'
import './extend-dialog.css'

const offered = ['1-days', '7-days', '30-days', '90-days', '1-years', 'never']

interface Props {
  open: boolean
  ids: string[]
  /** Whether these shares have expired. */
  reopens?: boolean
  onDone(): void
  onClose(): void
}

/** Asks for a new expiration, counted from now, and extends or reopens shares. */
export function ExtendDialog({ open, ids, reopens = false, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const choices = choicesAt(new Date())
  const extended = async (count: number) => {
    onClose()
    if (count > 0) notify.success(t(reopens ? 'shares.reopened' : 'shares.extended', { count }))
    else notify.info(t(reopens ? 'shares.noneReopened' : 'shares.noneExtended'))
    onDone()
    await queries.invalidateQueries({ queryKey: ['shares'] })
  }
  return (
    <FormDialog<{ expiration: string }, { ids: string[] }>
      open={open}
      title={t(reopens ? 'shares.reopenTitle' : 'shares.extendTitle', { count: ids.length })}
      ok={t(reopens ? 'shares.reopen' : 'shares.extend')}
      initial={{ expiration: choices.includes('30-days') ? '30-days' : choices[0] }}
      submit={({ expiration }) => api('POST /api/shares/extend', { body: { ids, expiration } })}
      onDone={(result) => extended(result.ids.length)}
      onClose={onClose}
    >
      <p className="soft dialog-note">{t(reopens ? 'shares.reopenText' : 'shares.extendText')}</p>
      <Form.Item name="expiration">
        <Radio.Group className="extend-choices" options={choices.map((value) => ({ value, label: <Choice expiration={value} /> }))} />
      </Form.Item>
    </FormDialog>
  )
}

function Choice({ expiration }: { expiration: string }) {
  const { t } = useTranslation()
  const choice = parseExpiration(expiration)
  const end = endOf(expiration, expirationRules(), new Date())
  if (!end) return <>{t('upload.neverExpires')}</>
  return (
    <>
      {formatDuration(choice.count ?? 0, choice.unit)} <span className="soft">{formatTime(end.toISOString())}</span>
    </>
  )
}

/** The usual durations that the administrator allows, or else the longest one. */
function choicesAt(now: Date): string[] {
  const rules = expirationRules()
  const latest = latestExpiration(rules, now)
  const allowed = offered.filter((text) => {
    const end = endOf(text, rules, now)
    return !latest || (end && end <= latest)
  })
  return allowed.length > 0 ? allowed : [initialExpiration(rules, now)]
}
