import { Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { ShareActivity } from '../../components/activity/ShareActivity.tsx'
import { LinkedText } from '../../components/LinkedText.tsx'
import { ShareLinks } from '../../components/links/ShareLinks.tsx'
import { useRecipients } from '../../components/recipients/queries.ts'
import { Recipients } from '../../components/recipients/Recipients.tsx'
import { ExpirationText, TimeText } from '../../components/TimeText.tsx'
import { WholeLink } from '../../components/WholeLink.tsx'
import { useOwnTitles } from '../../lib/encryption/own-titles.ts'
import { useContent } from '../../lib/encryption/use-content.ts'
import { formatBytes } from '../../lib/format.ts'
import { useLast } from '../../lib/last.ts'
import { FileNames } from './FileNames.tsx'
import { Visits } from './Visits.tsx'

/** Shows all details of a share to its owner. */
export function InfoDialog({ share, onClose }: { share: OwnShare | null; onClose(): void }) {
  const { t } = useTranslation()
  const last = useLast(share)
  const titleOf = useOwnTitles(last ? [last] : [])
  return (
    <Modal
      open={share !== null}
      title={last && titleOf(last)}
      footer={null}
      width={560}
      destroyOnHidden
      onCancel={onClose}
      closable={{ 'aria-label': t('common.close') }}
    >
      {last && <Facts share={last} />}
    </Modal>
  )
}

function Facts({ share }: { share: OwnShare }) {
  const { t } = useTranslation()
  const { shown } = useRecipients(share.id)
  const content = useContent(share)
  const description = content?.description ?? share.description
  const { passwordProtected } = share.security
  const facts: [label: string, value: ReactNode][] = [
    [
      'link',
      <WholeLink key="link" {...share}>
        {(link) => (
          <a dir="ltr" href={link}>
            {link}
          </a>
        )}
      </WholeLink>,
    ],
    ['description', description && <LinkedText key="description" text={description} />],
    ['created', <TimeText key="created" iso={share.createdAt} />],
    ['expires', <ExpirationText key="expires" expiration={share.expiration} />],
    ['visitors', <Visits key="visitors" share={share} />],
    ['password', passwordProtected && t('shares.protected')],
    ['size', formatBytes(share.size)],
  ]
  return (
    <>
      <dl className="share-facts stack">
        {facts.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt className="soft">{t(`shares.${label}`)}</dt>
                <dd className="own-words">{value}</dd>
              </div>
            ),
        )}
      </dl>
      {shown && (
        <>
          <h2 className="share-files-title">{t('shares.recipients')}</h2>
          <Recipients share={share} editing={share.editing} />
        </>
      )}
      {!share.received && (
        <>
          <h2 className="share-files-title">{t('links.title')}</h2>
          <ShareLinks shareId={share.id} encrypted={share.encrypted} />
        </>
      )}
      <h2 className="share-files-title">{t('activity.title')}</h2>
      <ShareActivity share={share} />
      {(!share.encrypted || content) && (
        <>
          <h2 className="share-files-title">{t('share.files', { count: share.fileCount })}</h2>
          <FileNames share={share} content={content} />
        </>
      )}
    </>
  )
}
