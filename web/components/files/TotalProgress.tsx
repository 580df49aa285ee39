import type { TFunction } from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UploadSnapshot } from '../../../uploader/types.ts'
import { formatBytes, formatPercent } from '../../lib/format.ts'
import { intlLocale } from '../../lib/intl-locale.ts'
import { fractionOf } from '../../lib/upload/fraction.ts'
import { needsAttention } from '../../lib/upload-progress.ts'

const announceInterval = 20_000 // ms
const announcementShown = 1_000 // ms
const countedStates = new Set<UploadSnapshot['state']>(['running', 'pausing', 'paused'])

/** Shows the progress of the whole upload and announces it to screen readers from time to time. */
export function TotalProgress({ snapshot, heading: Heading = 'h1' }: { snapshot: UploadSnapshot; heading?: 'h1' | 'h3' }) {
  const { t } = useTranslation()
  const { state, files, sentBytes, totalBytes, doneFiles } = snapshot
  const shown = fractionOf(snapshot)
  const percent = formatPercent(Math.floor(shown * 100) / 100)
  const filesDone = t('upload.filesOf', { done: doneFiles, count: files.length })
  const facts = [
    t('upload.bytesOf', { sent: formatBytes(sentBytes), total: formatBytes(totalBytes) }),
    filesDone,
    ...speedFacts(t, snapshot),
  ]
  return (
    <>
      <div className="total-head">
        <Heading>{headline(t, snapshot)}</Heading>
        <span className="total-percent" aria-hidden="true">
          {percent}
        </span>
      </div>
      <div
        className={`bar bar-${tone(snapshot)}`}
        role="progressbar"
        aria-label={t('upload.progress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(shown * 100)}
      >
        <span style={{ inlineSize: `${shown * 100}%` }} />
      </div>
      <p className="facts soft total-facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      <LiveStatus
        text={headline(t, snapshot)}
        numbers={countedStates.has(state) ? `, ${percent}, ${filesDone}` : ''}
        urgentKey={`${state} ${snapshot.connection}`}
      />
    </>
  )
}

interface LiveStatusProps {
  text: string
  /** Announced after the text. */
  numbers: string
  urgentKey: string
}

/**
 * A live region that announces its text and numbers when `urgentKey` changes, and otherwise every
 * 20 seconds. The numbers are removed at once, because later they would differ from those shown.
 */
function LiveStatus({ text, numbers, urgentKey }: LiveStatusProps) {
  const latest = useRef(numbers)
  const [announced, setAnnounced] = useState('')
  latest.current = numbers
  // biome-ignore lint/correctness/useExhaustiveDependencies: announces at each change of the key
  useEffect(() => {
    let removal: ReturnType<typeof setTimeout> | undefined
    const announce = () => {
      setAnnounced(latest.current)
      removal = setTimeout(() => setAnnounced(''), announcementShown)
    }
    announce()
    const timer = setInterval(announce, announceInterval)
    return () => {
      clearInterval(timer)
      clearTimeout(removal)
    }
  }, [urgentKey])
  return (
    <span className="visually-hidden" role="status">
      {text}
      {announced}
    </span>
  )
}

function headline(t: TFunction, { state, connection, files, problem, failedFiles, doneFiles }: UploadSnapshot): string {
  if (state === 'running' && connection === 'lost') return t('upload.connectionLost')
  if (state === 'running' && connection === 'busy') return t('upload.serverBusy')
  if (state === 'running') return t('upload.uploading', { count: files.length })
  if (state === 'stopped' && problem && doneFiles === files.length) return t('upload.finishFailed')
  return t(`upload.state.${state}`, { count: failedFiles })
}

function speedFacts(t: TFunction, { state, connection, speed, timeLeft }: UploadSnapshot): string[] {
  if (state !== 'running' || connection !== 'ok' || speed === null) return []
  if (speed === 0) return [t('upload.waitingForServer')]
  const left = timeLeft === null ? [] : [t('upload.timeLeft', { time: formatDuration(timeLeft) })]
  return [t('upload.speed', { speed: formatBytes(Math.round(speed)) }), ...left]
}

function tone({ state, connection }: UploadSnapshot): 'calm' | 'waiting' | 'danger' {
  if (needsAttention(state)) return 'danger'
  return state === 'pausing' || state === 'paused' || connection !== 'ok' ? 'waiting' : 'calm'
}

/** Returns a remaining time, rounded as coarsely as the estimate is: `40 sec`, `3 min`, `2 hr`. */
function formatDuration(seconds: number): string {
  if (seconds < 55) return inUnit(Math.max(5, Math.ceil(seconds / 5) * 5), 'second')
  if (seconds < 55 * 60) return inUnit(Math.round(seconds / 60), 'minute')
  if (seconds < 36 * 3600) return inUnit(Math.round(seconds / 1800) / 2, 'hour')
  return inUnit(Math.round(seconds / 86_400), 'day')
}

function inUnit(value: number, unit: 'second' | 'minute' | 'hour' | 'day'): string {
  return new Intl.NumberFormat(intlLocale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 }).format(value)
}
