import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../src/users/contract.ts'
import { api } from '../../api.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { focusPart, Loaded, Part } from '../../components/Part.tsx'
import { Row, RowButton, RowList } from '../../components/RowList.tsx'
import { TimeText } from '../../components/TimeText.tsx'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { type ApiToken, apiTokens, useReload } from './queries.ts'
import { NewTokenDialog } from './tokens/NewTokenDialog.tsx'
import { type CreatedToken, TokenDialog } from './tokens/TokenDialog.tsx'

/** The API tokens of the account. */
export function ApiTokens({ user }: { user: UserDTO }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const reload = useReload()
  const tokens = useQuery(apiTokens)
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedToken | null>(null)
  const [deleting, setDeleting] = useState<ApiToken | null>(null)
  const last = useLast(deleting)
  return (
    <Part
      id="tokens"
      title={t('token.title')}
      text={t('token.text')}
      action={<Button onClick={() => setCreating(true)}>{t('token.create')}</Button>}
    >
      <Loaded query={tokens}>
        {(list) =>
          list.length > 0 && (
            <RowList label={t('token.title')}>
              {list.map((token) => (
                <TokenRow key={token.id} token={token} onDelete={() => setDeleting(token)} />
              ))}
            </RowList>
          )
        }
      </Loaded>
      <NewTokenDialog
        open={creating}
        user={user}
        onClose={() => setCreating(false)}
        onDone={async (token) => {
          setCreating(false)
          setCreated(token)
          await reload('tokens')
        }}
      />
      <TokenDialog created={created} onClose={() => setCreated(null)} />
      <AskDialog
        open={deleting !== null}
        title={t('token.deleteTitle')}
        text={t('token.deleteText', { name: last?.name })}
        ok={t('common.delete')}
        danger
        action={() => api('DELETE /api/auth/tokens/:id', { params: { id: last!.id } })}
        onDone={async () => {
          setDeleting(null)
          await reload('tokens')
          focusPart('tokens')
        }}
        onError={notify.error}
        onClose={() => setDeleting(null)}
      />
    </Part>
  )
}

function TokenRow({ token, onDelete }: { token: ApiToken; onDelete(): void }) {
  const { t } = useTranslation()
  const { name, scopes, expiresAt, lastUsedAt } = token
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <Row
      icon="server"
      title={name}
      badge={isExpired ? t('token.expired') : undefined}
      facts={[
        scopes.map((scope) => t(`token.scope.${scope}`)).join(', '),
        lastUsedAt ? (
          <>
            {t('account.lastUsed')} <TimeText iso={lastUsedAt} relative />
          </>
        ) : (
          t('account.neverUsed')
        ),
        expiresAt === null ? (
          t('token.staysForever')
        ) : (
          <>
            {t('token.expires')} <TimeText iso={expiresAt} />
          </>
        ),
      ]}
    >
      <RowButton icon="trash" title={t('common.delete')} label={t('token.deleteOf', { name })} danger onClick={onDelete} />
    </Row>
  )
}
