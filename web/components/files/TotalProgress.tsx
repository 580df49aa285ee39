import type { TFunction } from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UploadSnapshot } from '../../../uploader/types.ts'
import { formatBytes, formatPercent } from '../../lib/format.ts'
import { formatDuration } from './duration.ts'

const spokenEvery = 20_000 // ms

/** How far the whole upload has come, to see and, every now and then, to hear. */
export function TotalProgress({ snapshot, heading: Heading = 'h1' }: { snapshot: UploadSnapshot; heading?: 'h1' | 'h3' }) {
  const { t } = useTranslation()
  const { state, files, sentBytes, totalBytes, doneFiles } = snapshot
  const part = totalBytes > 0 ? sentBytes / totalBytes : doneFiles / Math.max(1, files.length)
  const shown = state === 'completed' ? 1 : Math.min(part, 0.999)
  const percent = formatPercent(Math.floor(shown * 100) / 100)
  const facts = [
    t('upload.bytesOf', { sent: formatBytes(sentBytes), total: formatBytes(totalBytes) }),
    t('upload.filesOf', { done: doneFiles, count: files.length }),
    ...motion(t, snapshot),
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
      <Spoken text={`${headline(t, snapshot)}, ${percent}`} urgentKey={`${state} ${snapshot.connection}`} />
    </>
  )
}

/** A live region that speaks at once when the situation changes, otherwise now and then. */
function Spoken({ text, urgentKey }: { text: string; urgentKey: string }) {
  const latest = useRef(text)
  const [spoken, setSpoken] = useState('')
  latest.current = text
  // biome-ignore lint/correctness/useExhaustiveDependencies: anew at each change of the situation
  useEffect(() => {
    setSpoken(latest.current)
    const timer = setInterval(() => setSpoken(latest.current), spokenEvery)
    return () => clearInterval(timer)
  }, [urgentKey])
  return (
    <span className="visually-hidden" role="status">
      {spoken}
    </span>
  )
}

function headline(t: TFunction, { state, connection, files, problem, failedFiles, doneFiles }: UploadSnapshot): string {
  if (state === 'running' && connection === 'lost') return t('upload.connectionLost')
  if (state === 'running' && connection === 'busy') return t('upload.serverBusy')
  if (state === 'running') return t('upload.uploading', { count: files.length - doneFiles })
  if (state === 'stopped' && problem && doneFiles === files.length) return t('upload.finishFailed')
  return t(`upload.state.${state}`, { count: failedFiles })
}

function motion(t: TFunction, { state, connection, speed, timeLeft }: UploadSnapshot): string[] {
  if (state !== 'running' || connection !== 'ok' || !speed) return []
  const left = timeLeft === null ? [] : [t('upload.timeLeft', { time: formatDuration(timeLeft) })]
  return [t('upload.speed', { speed: formatBytes(Math.round(speed)) }), ...left]
}

function tone({ state, connection }: UploadSnapshot): 'calm' | 'waiting' | 'danger' {
  if (state === 'stopped' || state === 'incomplete') return 'danger'
  return state === 'paused' || connection !== 'ok' ? 'waiting' : 'calm'
}
