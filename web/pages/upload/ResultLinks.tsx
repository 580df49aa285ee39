import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import type { ShareLink } from '../../../src/shares/links/contract.ts'
import { CopyLink } from '../../components/CopyLink.tsx'
import { Icon } from '../../components/Icon.tsx'
import { LinkDialog } from '../../components/LinkDialog.tsx'
import { LinkAddress } from '../../components/links/LinkRow.tsx'
import { linkName } from '../../components/links/link-name.ts'
import { addLinks } from '../../components/links/planned-links.ts'
import { linksOf } from '../../components/links/queries.ts'
import { RowButton } from '../../components/RowList.tsx'
import { useLast } from '../../lib/last.ts'
import { type Result, rememberResult } from '../../lib/upload/results.ts'
import '../../components/links/links.css'

interface Props {
  share: Pick<OwnerPage, 'id' | 'encrypted'>
  result: Result
}

/** Lists the further links of a new share to copy, and those that could not be added. */
export function ResultLinks({ share: { id, encrypted }, result }: Props) {
  const { t } = useTranslation()
  const links = (useQuery(linksOf(id)).data ?? []).filter(({ first, recipient }) => !first && recipient === null)
  const [missing, setMissing] = useState(result.missingLinks ?? [])
  const [opened, setOpened] = useState<ShareLink | null>(null)
  const last = useLast(opened)
  const queries = useQueryClient()
  const retry = useMutation({
    mutationFn: () =>
      addLinks(
        id,
        missing.map(({ body }) => body),
        t,
      ),
    onSuccess: async (stillMissing) => {
      setMissing(stillMissing)
      rememberResult(id, { ...result, missingLinks: stillMissing })
      await queries.invalidateQueries({ queryKey: ['links', id] })
    },
  })
  const key = encrypted ? id : undefined
  if (links.length + missing.length === 0) return null
  return (
    <section className="card stack" aria-labelledby="result-links">
      <h2 id="result-links">{t('links.more')}</h2>
      {links.length > 0 && (
        <ul className="ruled" aria-labelledby="result-links">
          {links.map((link) => (
            <ResultLink key={link.id} link={link} encrypted={key} onShow={() => setOpened(link)} />
          ))}
        </ul>
      )}
      {missing.length > 0 && (
        <div className="notice notice-danger" role="alert">
          <Icon name="info" />
          <div className="words">
            <p>{t('links.missing', { count: missing.length })}</p>
            <ul>
              {missing.map(({ body, problem }) => (
                <li key={body.id}>
                  <bdi>{linkName({ id: '', ...body, first: false }, t)}</bdi>
                  {': '}
                  {problem}
                </li>
              ))}
            </ul>
            <div className="actions">
              <Button icon={<Icon name="refresh" size={18} />} loading={retry.isPending} onClick={() => retry.mutate()}>
                {t('common.retry')}
              </Button>
            </div>
          </div>
        </div>
      )}
      {last && (
        <LinkDialog open={opened !== null} title={linkName(last, t)} link={last.link} encrypted={key} onClose={() => setOpened(null)} />
      )}
    </section>
  )
}

function ResultLink({ link, encrypted, onShow }: { link: ShareLink; encrypted: string | undefined; onShow(): void }) {
  const { t } = useTranslation()
  const name = linkName(link, t)
  return (
    <li className="planned-link line">
      <div className="words">
        <p>
          <bdi className="own-words">{name}</bdi>
        </p>
        <LinkAddress link={link.link} />
      </div>
      <CopyLink link={link.link} encrypted={encrypted} label={t('links.copyOf', { name })} />
      <RowButton icon="qr" title={t('links.show')} label={t('links.showOf', { name })} onClick={onShow} />
    </li>
  )
}
