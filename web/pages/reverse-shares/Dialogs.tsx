import { useTranslation } from 'react-i18next'
import type { OwnReverseShare, ReceivedShare } from '../../../src/reverse-shares/contract.ts'
import { LinkDialog } from '../../components/LinkDialog.tsx'
import { useLast } from '../../lib/last.ts'
import { AdoptDialog } from './AdoptDialog.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { ReplaceDialog } from './ReplaceDialog.tsx'

export type OpenedDialog =
  | { dialog: 'create' }
  | { dialog: 'edit' | 'delete' | 'replace'; reverse: OwnReverseShare }
  | { dialog: 'adopt'; share: ReceivedShare }
  /** The link of a new or an existing share. */
  | { dialog: 'link'; title: string; link: string; note: string }

interface Props {
  opened: OpenedDialog | null
  onOpen(opened: OpenedDialog): void
  onClose(): void
}

/** The dialogs over the list, of which one is open at a time. */
export function Dialogs({ opened, onOpen, onClose }: Props) {
  const { t } = useTranslation()
  const shownLink = opened?.dialog === 'link' ? opened : null
  const last = useLast(shownLink)
  const showLink = ({ link }: { link: string }) =>
    onOpen({ dialog: 'link', title: t('reverse.adopted'), link, note: t('reverse.adoptedNote') })
  const showReplaced = (link: string) => onOpen({ dialog: 'link', title: t('reverse.replaced'), link, note: t('reverse.linkNote') })
  return (
    <>
      {last && <LinkDialog open={shownLink !== null} title={last.title} link={last.link} note={last.note} onClose={onClose} />}
      <DeleteDialog reverse={opened?.dialog === 'delete' ? opened.reverse : null} onClose={onClose} />
      <ReplaceDialog reverse={opened?.dialog === 'replace' ? opened.reverse : null} onDone={showReplaced} onClose={onClose} />
      <AdoptDialog share={opened?.dialog === 'adopt' ? opened.share : null} onDone={showLink} onClose={onClose} />
    </>
  )
}
