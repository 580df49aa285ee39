import type { TFunction } from 'i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { ReceivedShare } from '../../../src/reverse-shares/contract.ts'

/** Returns the name that a sender has entered, else their username or email address. */
export function senderNameOf({ sender, creator }: Pick<ReceivedShare, 'sender' | 'creator'>, t: TFunction): string {
  return showInvisible(sender.name ?? creator?.username ?? sender.email ?? t('reverse.somebody'))
}

/** Returns whether the sender of a share has entered anything or has an account. */
export function isSenderKnown({ sender, creator }: Pick<ReceivedShare, 'sender' | 'creator'>): boolean {
  return Boolean(sender.name ?? creator ?? sender.email)
}
