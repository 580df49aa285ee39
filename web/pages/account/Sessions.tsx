import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { ApiError, api } from '../../api.ts'
import { useConfirmed, useFailure } from '../../components/Confirmation.tsx'
import { focusPart, Loaded, Part } from '../../components/Part.tsx'
import { Row, RowButton, RowList } from '../../components/RowList.tsx'
import { TimeText } from '../../components/TimeText.tsx'
import { useNotify } from '../../lib/notify.tsx'
import { deviceText } from './device.ts'
import { type OwnSession, sessions, useReload } from './queries.ts'

/** The sessions of the account, with buttons to end them. */
export function Sessions() {
  const { t } = useTranslation()
  const notify = useNotify()
  const confirmed = useConfirmed()
  const failed = useFailure()
  const reload = useReload()
  const list = useQuery(sessions)
  const ended = async (text: string) => {
    notify.success(text)
    await reload('sessions')
    focusPart('sessions')
  }
  const end = useMutation({
    mutationFn: (id: string) =>
      confirmed((password) => api('DELETE /api/auth/sessions/:id', { params: { id }, body: { password } })).catch(ignoreNotFound),
    onSuccess: () => ended(t('account.sessionEnded')),
    onError: failed,
  })
  const endOthers = useMutation({
    mutationFn: () => confirmed((password) => api('DELETE /api/auth/sessions', { body: { password } })),
    onSuccess: () => ended(t('account.othersEnded')),
    onError: failed,
  })
  const hasOthers = list.data?.some(({ current }) => !current)
  return (
    <Part
      id="sessions"
      title={t('account.sessions')}
      text={t('account.sessionsText')}
      action={
        hasOthers && (
          <Button loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('account.endOthers')}
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {(items) => (
          <RowList label={t('account.sessions')}>
            {items.map((session) => (
              <SessionRow key={session.id} session={session} busy={end.isPending} onEnd={() => end.mutate(session.id)} />
            ))}
          </RowList>
        )}
      </Loaded>
    </Part>
  )
}

function SessionRow({ session, busy, onEnd }: { session: OwnSession; busy: boolean; onEnd(): void }) {
  const { t } = useTranslation()
  const name = deviceText(t, session.device)
  return (
    <Row
      icon="monitor"
      title={<span title={session.device ?? undefined}>{name}</span>}
      badge={session.current ? t('account.current') : undefined}
      facts={[
        session.address && <bdi>{session.address}</bdi>,
        <>
          {t('account.lastUsed')} <TimeText iso={session.lastUsedAt} relative />
        </>,
      ]}
    >
      {!session.current && (
        <RowButton
          icon="signOut"
          title={t('nav.signOut')}
          label={t('account.signOutOf', { name })}
          danger
          disabled={busy}
          onClick={onEnd}
        />
      )}
    </Row>
  )
}

/** Ignores that the session had already ended. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
}
