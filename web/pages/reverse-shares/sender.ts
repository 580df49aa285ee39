import type { TFunction } from 'i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { ReceivedShare } from '../../../src/reverse-shares/contract.ts'

/** What a sender is called: by themselves, else by their account. */
export function senderNameOf({ sender, creator }: Pick<ReceivedShare, 'sender' | 'creator'>, t: TFunction): string {
  return showInvisible(sender.name ?? creator?.username ?? sender.email ?? t('reverse.somebody'))
}

/** Whether anything is known of who has sent a share. */
export function isKnown({ sender, creator }: Pick<ReceivedShare, 'sender' | 'creator'>): boolean {
  return Boolean(sender.name ?? creator ?? sender.email)
}
