import { useTranslation } from 'react-i18next'
import type { OwnReverseShare, ReceivedShare } from '../../../src/reverse-shares/contract.ts'
import { LinkDialog } from '../../components/LinkDialog.tsx'
import { useLast } from '../../lib/last.ts'
import { AdoptDialog } from './AdoptDialog.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { RemoveDialog } from './RemoveDialog.tsx'

export type Opened =
  | { dialog: 'create' }
  | { dialog: 'delete'; reverse: OwnReverseShare }
  | { dialog: 'adopt' | 'remove'; share: ReceivedShare }
  /** Shows a link: of what was made, or of what is there. */
  | { dialog: 'link'; title: string; link: string; note: string }

interface Props {
  opened: Opened | null
  onOpen(opened: Opened): void
  onClose(): void
}

/** What can be opened over the list: one at a time. */
export function Dialogs({ opened, onOpen, onClose }: Props) {
  const { t } = useTranslation()
  const handed = opened?.dialog === 'link' ? opened : null
  const last = useLast(handed)
  const handOn = ({ link }: { link: string }) =>
    onOpen({ dialog: 'link', title: t('reverse.adopted'), link, note: t('reverse.adoptedNote') })
  return (
    <>
      {last && <LinkDialog open={handed !== null} title={last.title} link={last.link} note={last.note} onClose={onClose} />}
      <DeleteDialog reverse={opened?.dialog === 'delete' ? opened.reverse : null} onClose={onClose} />
      <AdoptDialog share={opened?.dialog === 'adopt' ? opened.share : null} onDone={handOn} onClose={onClose} />
      <RemoveDialog share={opened?.dialog === 'remove' ? opened.share : null} onClose={onClose} />
    </>
  )
}
