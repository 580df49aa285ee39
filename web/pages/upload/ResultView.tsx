import { Button } from 'antd'
import type { TFunction } from 'i18next'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { CopyButton } from '../../components/CopyButton.tsx'
import { RecoveryText } from '../../components/encrypted/RecoveryText.tsx'
import { focusCopy, LinkField } from '../../components/LinkField.tsx'
import { Razorbill } from '../../components/Razorbill.tsx'
import { useRecipients } from '../../components/recipients/queries.ts'
import { Recipients } from '../../components/recipients/Recipients.tsx'
import { ExpiresText } from '../../components/TimeText.tsx'
import { WholeLink } from '../../components/WholeLink.tsx'
import { useOwnTitle } from '../../lib/encryption/own-titles.ts'
import { formatBytes, formatExpiration, isNever } from '../../lib/format.ts'
import type { Result } from '../../lib/upload/results.ts'
import { ResultLinks } from './ResultLinks.tsx'
import './result.css'

interface Props {
  share: OwnerPage
  result: Result
}

/** Shows the link of a share whose upload is completed, and who has received it by email. */
export function ResultView({ share, result }: Props) {
  const { password, through } = result
  const { t } = useTranslation()
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => focusCopy(content.current), [])
  const title = useOwnTitle(share)
  return (
    <article className="narrow stack result" ref={content}>
      <section className="card result-card stack">
        <Razorbill className="result-picture" files={4} />
        <h1>{t('upload.completedTitle')}</h1>
        <div className="result-facts">
          <p className="result-title own-words">{title}</p>
          <p className="soft">
            {share.kind === 'files' && `${t('share.files', { count: share.files.length })} · `}
            {`${formatBytes(share.size)} · `}
            <ExpiresText expiration={share.expiration} />
          </p>
        </div>
        {through && <p>{t(through.publicAccess ? 'send.received' : 'send.receivedPrivately', { name: through.to })}</p>}
        <WholeLink {...share}>
          {(link) => (
            <>
              <LinkField label={t('common.link')} link={link} title={title} />
              <CopyButton
                text={textOf(t, { ...share, link, title, password })}
                label={t(password ? 'upload.copyMessageWithPassword' : 'upload.copyMessage')}
              />
              {share.encrypted && link !== share.link && <RecoveryText share={{ ...share, link }} />}
            </>
          )}
        </WholeLink>
      </section>
      {!through && <ResultLinks share={share} result={result} />}
      {!through && <MailedTo share={share} />}
      <div className="actions result-actions">
        <Link href={`/share/${share.id}`} asChild>
          <Button>{t('upload.openShare')}</Button>
        </Link>
        <Link href={through ? `/upload/${through.token}` : '/upload'} asChild>
          <Button>{t(through ? 'send.more' : 'upload.shareMore')}</Button>
        </Link>
      </div>
    </article>
  )
}

function MailedTo({ share }: { share: OwnerPage }) {
  const { t } = useTranslation()
  const { recipients } = useRecipients(share.id)
  if (!recipients.data?.length) return null
  return (
    <section className="card stack result-recipients" aria-labelledby="mailed-to">
      <h2 id="mailed-to">{t('upload.mailedTo')}</h2>
      <Recipients share={share} editing={false} />
    </section>
  )
}

interface ShareText {
  title: string
  link: string
  expiration: string
  password: string | undefined
}

/** Returns a text for a message: the title, the link, the password and the expiration. */
function textOf(t: TFunction, { title, link, expiration, password }: ShareText): string {
  const lines = [
    title,
    link,
    password && t('upload.textPassword', { password }),
    !isNever(expiration) && t('upload.expiresAt', { time: formatExpiration(expiration) }),
  ]
  return lines.filter(Boolean).join('\n')
}
