import type { TFunction } from 'i18next'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { later } from '../../../src/shares/limits.ts'
import { formatDuration } from '../../lib/format.ts'
import { dayOf, expirationChoices, isDay, latestExpiration, parseExpiration } from './expiration.ts'
import { expirationRules } from './expiration-rules.ts'

const suggestedDays = 14

interface Props {
  /** ID of the first choice. */
  id?: string
  value?: string
  onChange?(value: string): void
}

/** Choices of an expiration, each one tap away, and a field for any other day. */
export function ExpirationChoices({ id, value = '', onChange }: Props) {
  const { t } = useTranslation()
  const name = useId()
  const [openedAt] = useState(() => new Date())
  const rules = expirationRules()
  const latest = latestExpiration(rules, openedAt)
  const choices = expirationChoices(rules, openedAt)
  const hasDay = value === '' || isDay(value)
  const suggested = later(openedAt, suggestedDays, 'day')
  const [durations, never] = [choices.filter((choice) => choice !== 'never'), choices.filter((choice) => choice === 'never')]
  const radio = (choice: string, index: number) => (
    <label key={choice} className="choice">
      <input type="radio" id={index === 0 ? id : undefined} name={name} checked={value === choice} onChange={() => onChange?.(choice)} />
      {choiceText(t, choice)}
    </label>
  )
  return (
    <div className="choices">
      {durations.map(radio)}
      <label className="choice">
        <input
          type="radio"
          name={name}
          checked={hasDay}
          onChange={() => onChange?.(dayOf(latest && latest < suggested ? latest : suggested))}
        />
        {t('upload.expirationDate')}
      </label>
      {never.map((choice) => radio(choice, -1))}
      {hasDay && (
        <input
          type="date"
          className="choice-day field"
          aria-label={t('upload.lastDay')}
          value={value}
          min={dayOf(openedAt)}
          max={latest ? dayOf(latest) : '9999-12-30'}
          onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
        />
      )}
    </div>
  )
}

function choiceText(t: TFunction, choice: string): string {
  const { never, count, unit } = parseExpiration(choice)
  return never ? t('common.never') : formatDuration(count ?? 0, unit)
}
