import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { markSeen, needsAttention, progressText, useUploadProgress } from '../lib/upload-progress.ts'

const circumference = 2 * Math.PI * 9 // of the circle below

/**
 * Links to the upload that runs in this tab and shows its progress, except on the upload's own
 * page.
 */
export function UploadRing() {
  const { t } = useTranslation()
  const [path] = useLocation()
  const progress = useUploadProgress()
  const isHere = progress?.path === path
  const isCompleted = progress?.state === 'completed'
  useEffect(() => {
    if (!isHere || !isCompleted) return
    const markIfVisible = () => document.visibilityState === 'visible' && markSeen(path)
    markIfVisible()
    document.addEventListener('visibilitychange', markIfVisible)
    return () => document.removeEventListener('visibilitychange', markIfVisible)
  }, [isHere, isCompleted, path])
  if (!progress || isHere) return null
  const { state, percent } = progress
  const needsUser = needsAttention(state)
  const shown = progressText(t, progress)
  return (
    <Link
      href={progress.path}
      className={needsUser ? 'upload-ring upload-ring-danger' : 'upload-ring'}
      aria-label={t('nav.uploadOf', { progress: shown })}
    >
      {!isCompleted && !needsUser && (
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
          <circle cx="12" cy="12" r="9" />
          <circle cx="12" cy="12" r="9" strokeDasharray={`${(circumference * percent) / 100} ${circumference}`} />
        </svg>
      )}
      <span>{shown}</span>
    </Link>
  )
}
