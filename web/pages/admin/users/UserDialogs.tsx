import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { api } from '../../../api.ts'
import { NewPasswordField } from '../../../components/AccountFields.tsx'
import { AskDialog } from '../../../components/AskDialog.tsx'
import { useConfirmed, useFailure } from '../../../components/Confirmation.tsx'
import { FormDialog } from '../../../components/FormDialog.tsx'
import { useLast } from '../../../lib/last.ts'
import { useNotify } from '../../../lib/notify.tsx'
import { CreateUser } from './CreateUser.tsx'
import { EditUser } from './EditUser.tsx'

export type UserAction = 'create' | 'edit' | 'password' | 'endSessions' | 'delete' | 'invite'

interface Props {
  opened: { action: UserAction; user: UserDTO | null } | null
  onClose(): void
  onDeleted(): void
}

/** The dialogs of the actions on users. */
export function UserDialogs({ opened, onClose, onDeleted }: Props) {
  const { t } = useTranslation()
  const notify = useNotify()
  const confirmed = useConfirmed()
  const failed = useFailure()
  const queries = useQueryClient()
  const last = useLast(opened)
  const user = last?.user ?? null
  const is = (action: UserAction) => opened?.action === action
  const done = (text: string) => async () => {
    onClose()
    notify.success(text)
    await Promise.all([queries.invalidateQueries({ queryKey: ['users'] }), queries.invalidateQueries({ queryKey: ['system'] })])
  }
  return (
    <>
      <CreateUser
        open={is('create')}
        onClose={onClose}
        onDone={(created) => done(t(created.hasPassword ? 'users.created' : 'users.invited'))()}
      />
      {user && (
        <>
          <EditUser open={is('edit')} user={user} onClose={onClose} onDone={done(t('users.saved'))} />
          <FormDialog<{ password: string }>
            open={is('password')}
            title={t('users.passwordTitle')}
            ok={t('auth.setPassword')}
            submit={({ password }) =>
              confirmed((currentPassword) => api('PATCH /api/users/:id', { params: { id: user.id }, body: { password, currentPassword } }))
            }
            onDone={done(t('users.passwordSet'))}
            onClose={onClose}
          >
            <p className="soft">{t('users.passwordText', { name: user.username })}</p>
            <NewPasswordField label={t('auth.newPassword')} autoFocus />
          </FormDialog>
          <AskDialog
            open={is('invite')}
            title={t('users.inviteTitle')}
            text={t('users.inviteText', { name: user.username, email: user.email })}
            ok={t('users.inviteOk')}
            action={() => api('POST /api/users/:id/invitation', { params: { id: user.id } })}
            onDone={done(t('users.invited'))}
            onError={notify.error}
            onClose={onClose}
          />
          <AskDialog
            open={is('endSessions')}
            title={t('users.endSessionsTitle')}
            text={t('users.endSessionsText', { name: user.username })}
            ok={t('users.endSessionsOk')}
            danger
            action={() =>
              confirmed((currentPassword) => api('DELETE /api/users/:id/sessions', { params: { id: user.id }, body: { currentPassword } }))
            }
            onDone={done(t('users.sessionsEnded'))}
            onError={(error) => {
              onClose()
              failed(error)
            }}
            onClose={onClose}
          />
          <AskDialog
            open={is('delete')}
            title={t('users.deleteTitle')}
            text={t('users.deleteText', { name: user.username })}
            ok={t('common.delete')}
            danger
            action={() => api('DELETE /api/users/:id', { params: { id: user.id } })}
            onDone={() => {
              onDeleted()
              return done(t('users.deleted'))()
            }}
            onError={notify.error}
            onClose={onClose}
          />
        </>
      )}
    </>
  )
}
