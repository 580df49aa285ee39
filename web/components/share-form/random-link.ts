import { settings } from '../../start.ts'
import { randomText } from './random-text.ts'

/** Returns a random ID for a link, as long as the administrator has set. */
export function randomLink(): string {
  return randomText(settings['share.shareIdLength'])
}
