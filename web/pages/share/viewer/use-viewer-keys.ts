import { useEffect } from 'react'

interface Actions {
  step(offset: number): void
  toggleFullscreen(): void
}

/** Elements that use the arrow keys or Space themselves. */
const users = 'input, textarea, select, audio, video, iframe, pre, .viewer-sheet'

/**
 * Steps with the arrow keys in reading direction, plays and pauses with Space, and fills the screen
 * with F.
 */
export function useViewerKeys({ step, toggleFullscreen }: Actions): void {
  useEffect(() => {
    const forward = document.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const handleKey = (event: KeyboardEvent) => {
      const { key, target } = event
      const inOther = target instanceof Element && (target.closest(users) || target.closest('[role=dialog], [aria-modal]'))
      if (event.altKey || event.ctrlKey || event.metaKey || inOther) return
      if (key === 'ArrowLeft' || key === 'ArrowRight') step(key === forward ? 1 : -1)
      else if (key === 'f') toggleFullscreen()
      else if (key === ' ' && !(target instanceof HTMLElement && target.closest('button, a')) && togglePlayback()) event.preventDefault()
    }
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  })
}

function togglePlayback(): boolean {
  const media = document.querySelector<HTMLMediaElement>('.viewer video, .viewer audio')
  if (media) void (media.paused ? media.play() : media.pause())
  return media !== null
}
