import i18next from 'i18next'
import { setTitlePrefix } from '../page-title.ts'
import { currentProgress, needsAttention, onProgress, progressText, type UploadProgress } from '../upload-progress.ts'

const size = 32 // pixels
const iconSelector = 'link[rel="icon"]'
const paused = new Set<UploadProgress['state']>(['pausing', 'paused'])

/** The icons of the site while the tab shows progress instead. */
let siteIcons: HTMLLinkElement[] | null = null
let following = false

/** Shows the uploads of this tab in its title and its icon, until the user has seen their end. */
export function showProgressInTab(): void {
  if (following) return
  following = true
  onProgress(() => {
    const progress = currentProgress()
    setTitlePrefix(progress ? progressText(i18next.t, progress) : '')
    setIcon(progress && iconOf(progress))
  })
}

/** Shows an icon instead of those of the site; null shows the site's again. */
function setIcon(url: string | null): void {
  if (url === null && siteIcons === null) return
  siteIcons ??= [...document.querySelectorAll<HTMLLinkElement>(iconSelector)]
  for (const icon of document.querySelectorAll(iconSelector)) icon.remove()
  if (url === null) {
    document.head.append(...siteIcons)
    siteIcons = null
    return
  }
  document.head.append(Object.assign(document.createElement('link'), { rel: 'icon', href: url }))
}

/** Draws a ring that fills with the progress; a full one with a mark when the upload has ended. */
function iconOf({ state, percent }: UploadProgress): string | null {
  const canvas = document.createElement('canvas')
  canvas.width = size
  canvas.height = size
  const context = canvas.getContext('2d')
  if (!context) return null
  const ended = state === 'completed' || needsAttention(state)
  const style = getComputedStyle(document.documentElement)
  const color = style.getPropertyValue(
    state === 'completed' ? '--good' : ended ? '--danger' : paused.has(state) ? '--ink-soft' : '--primary',
  )
  ring(context, style.getPropertyValue('--disc'), 1)
  ring(context, color, ended ? 1 : percent / 100)
  if (ended) mark(context, state === 'completed' ? '✓' : '!', color)
  return canvas.toDataURL()
}

function ring(context: CanvasRenderingContext2D, color: string, fraction: number): void {
  const top = -Math.PI / 2
  context.strokeStyle = color
  context.lineWidth = 7
  context.beginPath()
  context.arc(size / 2, size / 2, size / 2 - 4, top, top + 2 * Math.PI * fraction)
  context.stroke()
}

function mark(context: CanvasRenderingContext2D, text: string, color: string): void {
  context.fillStyle = color
  context.font = 'bold 18px sans-serif'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(text, size / 2, size / 2 + 1)
}
