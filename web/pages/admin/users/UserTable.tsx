import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { CardTable, type Column } from '../../../components/CardTable.tsx'
import { Icon } from '../../../components/Icon.tsx'
import type { IconName } from '../../../components/icon-paths.ts'
import { RowButton } from '../../../components/RowList.tsx'
import { TimeText } from '../../../components/TimeText.tsx'
import { settings, start } from '../../../start.ts'
import type { UserAction } from './UserDialogs.tsx'

const actions: { action: UserAction; icon: IconName; danger?: boolean; isOffered(user: UserDTO): boolean }[] = [
  { action: 'invite', icon: 'mail', isOffered: ({ hasPassword }) => !hasPassword && settings['smtp.enabled'] },
  { action: 'edit', icon: 'pencil', isOffered: isOther },
  { action: 'password', icon: 'lock', isOffered: isOther },
  { action: 'endSessions', icon: 'signOut', danger: true, isOffered: isOther },
  { action: 'delete', icon: 'trash', danger: true, isOffered: isOther },
]

interface Props {
  users: UserDTO[]
  /** Whether other users are being loaded. */
  busy: boolean
  onOpen(user: UserDTO, action: UserAction): void
}

/** Users as a table. */
export function UserTable({ users, busy, onOpen }: Props) {
  const { t } = useTranslation()
  const columns: Column<UserDTO>[] = [
    { key: 'username', label: t('users.head.username'), cell: (user) => <UserName user={user} /> },
    { key: 'role', label: t('users.head.role'), cell: (user) => <Role user={user} /> },
    { key: 'signIn', label: t('users.head.signIn'), cell: (user) => t(signInKey(user)) },
    { key: 'created', label: t('users.head.created'), cell: ({ createdAt }) => <TimeText iso={createdAt} /> },
  ]
  return (
    <CardTable
      columns={columns}
      rows={users}
      busy={busy}
      actions={(user) => <UserActions user={user} onOpen={(action) => onOpen(user, action)} />}
    />
  )
}

function UserName({ user }: { user: UserDTO }) {
  const { t } = useTranslation()
  return (
    <>
      <span className="users-name toolbar">
        <bdi>{user.username}</bdi>
        {!isOther(user) && <span className="badge">{t('users.you')}</span>}
      </span>
      <span className="share-sub small soft">
        <bdi>{user.email}</bdi>
      </span>
      {!user.emailVerified && settings['share.requireVerifiedEmail'] && <span className="badge">{t('users.notVerified')}</span>}
    </>
  )
}

function Role({ user }: { user: UserDTO }) {
  const { t } = useTranslation()
  return user.isAdmin ? <span className="badge">{t('users.admin')}</span> : t('users.user')
}

function signInKey({ hasPassword, totpVerified }: UserDTO): string {
  if (!hasPassword) return 'users.noPassword'
  return totpVerified ? 'users.withTotp' : 'users.withPassword'
}

function UserActions({ user, onOpen }: { user: UserDTO; onOpen(action: UserAction): void }) {
  const { t } = useTranslation()
  return (
    <>
      {actions
        .filter(({ isOffered }) => isOffered(user))
        .map(({ action, icon, danger }) => (
          <RowButton
            key={action}
            icon={icon}
            danger={danger}
            title={t(`users.${action}`)}
            label={t(`users.${action}Of`, { name: user.username })}
            onClick={() => onOpen(action)}
          />
        ))}
      {!isOther(user) && (
        <Link className="icon-button" href="/account" title={t('users.ownAccount')} aria-label={t('users.ownAccount')}>
          <Icon name="user" />
        </Link>
      )}
    </>
  )
}

/** Administrators change their own sign-in methods and delete their account on the account page. */
function isOther({ id }: UserDTO): boolean {
  return id !== start.user?.id
}
