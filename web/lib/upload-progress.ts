import type { TFunction } from 'i18next'
import { useSyncExternalStore } from 'react'
import type { UploadState } from '../../uploader/types.ts'
import { formatPercent } from './format.ts'

/** The progress of an upload in this tab, for the header and the tab. */
export interface UploadProgress {
  /** The page that shows the upload. */
  path: string
  state: UploadState
  /** Whole percent. */
  percent: number
}

const uploads = new Map<string, UploadProgress>()
const listeners = new Set<() => void>()

/** Sets the progress of the upload into a share; null removes it. */
export function reportProgress(shareId: string, progress: UploadProgress | null): void {
  const before = uploads.get(shareId)
  if (before?.percent === progress?.percent && before?.state === progress?.state) return
  if (progress) uploads.set(shareId, progress)
  else uploads.delete(shareId)
  for (const listener of listeners) listener()
}

/** Removes the completed uploads of a page, because the user has seen them. */
export function markSeen(path: string): void {
  for (const [shareId, progress] of uploads) if (progress.path === path && progress.state === 'completed') reportProgress(shareId, null)
}

/** Returns the upload that was started first and not seen since it was completed. */
export function currentProgress(): UploadProgress | null {
  return uploads.values().next().value ?? null
}

/** Returns whether an upload continues only if the user does something. */
export function needsAttention(state: UploadState): boolean {
  return state === 'stopped' || state === 'incomplete'
}

/** Returns an upload's progress in a few words: `42%`, `42% paused`, `✓ Ready` or `Upload stopped`. */
export function progressText(t: TFunction, { state, percent }: UploadProgress): string {
  if (state === 'completed') return t('upload.tab.ready')
  if (needsAttention(state)) return t('upload.tab.stopped')
  const text = formatPercent(percent / 100)
  return state === 'pausing' || state === 'paused' ? t('upload.tab.paused', { percent: text }) : text
}

export function onProgress(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useUploadProgress(): UploadProgress | null {
  return useSyncExternalStore(onProgress, currentProgress, () => null)
}
