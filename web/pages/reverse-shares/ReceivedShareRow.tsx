import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { ReceivedShare } from '../../../src/reverse-shares/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import { RowButton } from '../../components/RowList.tsx'
import { TimeText } from '../../components/TimeText.tsx'
import { deleteOwn, useDeletion } from '../../components/use-deletion.ts'
import { formatBytes, formatTime } from '../../lib/format.ts'
import { DownloadButton } from './DownloadButton.tsx'
import { Message } from './Message.tsx'
import { namedFiles } from './queries.ts'
import { isSenderKnown, senderNameOf } from './sender.ts'

interface Props {
  share: ReceivedShare
  onAdopt(): void
}

/** Shows a received share: its sender, time, message and files, with buttons for it. */
export function ReceivedShareRow({ share, onAdopt }: Props) {
  const { t } = useTranslation()
  const remove = useDeletion(deleteOwn, () => {})
  const name = senderNameOf(share, t)
  const { files, fileCount, sender, description, size, completedAt, changedAt } = share
  const message = sender.message ?? description
  return (
    <li className="arrival line">
      <div className="arrival-words words stack">
        <p className="arrival-title toolbar">
          <bdi className={isSenderKnown(share) ? 'arrival-sender' : 'soft'}>{name}</bdi>
          {sender.email && (
            <a className="soft" href={`mailto:${sender.email}`}>
              {sender.email}
            </a>
          )}
        </p>
        <p className="facts soft">
          <span>
            <TimeText iso={completedAt} relative />
          </span>
          <span>{t('share.files', { count: fileCount })}</span>
          <span>{formatBytes(size)}</span>
        </p>
        {changedAt && <p className="arrival-changed">{t('reverse.changed', { time: formatTime(changedAt) })}</p>}
        {message && <Message text={message} />}
        <p>
          <Link href={`/share/${share.id}`}>
            <bdi>
              {showInvisible(
                share.name ??
                  files
                    .slice(0, namedFiles)
                    .map((file) => file.name)
                    .join(', '),
              )}
            </bdi>
          </Link>
          {!share.name && fileCount > namedFiles && ` ${t('upload.andMore', { count: fileCount - namedFiles })}`}
        </p>
      </div>
      <div className="arrival-actions">
        <Link href={`/share/${share.id}`} className="icon-button" title={t('common.open')} aria-label={t('reverse.openOf', { name })}>
          <Icon name="eye" />
        </Link>
        <DownloadButton share={share} name={name} />
        <RowButton icon="share" title={t('reverse.adopt')} label={t('reverse.adoptOf', { name })} onClick={onAdopt} />
        <RowButton
          icon="trash"
          danger
          title={t('common.delete')}
          label={t('reverse.removeOf', { name })}
          disabled={remove.isPending}
          onClick={() => remove.mutate([share.id])}
        />
      </div>
    </li>
  )
}
