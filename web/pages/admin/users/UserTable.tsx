// biome-ignore-all lint/a11y/noRedundantRoles: Safari drops the roles of a table that is laid out as blocks
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { Icon } from '../../../components/Icon.tsx'
import type { IconName } from '../../../components/icon-paths.ts'
import { TimeText } from '../../../components/TimeText.tsx'
import { settings, start } from '../../../start.ts'
import type { UserAction } from './UserDialogs.tsx'

const actions: { action: UserAction; icon: IconName; danger?: boolean; for(user: UserDTO): boolean }[] = [
  { action: 'invite', icon: 'mail', for: ({ hasPassword }) => !hasPassword && settings['smtp.enabled'] },
  { action: 'edit', icon: 'pencil', for: isOther },
  { action: 'password', icon: 'lock', for: isOther },
  { action: 'endSessions', icon: 'signOut', danger: true, for: isOther },
  { action: 'delete', icon: 'trash', danger: true, for: isOther },
]

interface Props {
  users: UserDTO[]
  /** Others are on their way. */
  busy: boolean
  onOpen(user: UserDTO, action: UserAction): void
}

/** Users as a table; on a phone each row is a card. */
export function UserTable({ users, busy, onOpen }: Props) {
  const { t } = useTranslation()
  const heads = ['username', 'role', 'signIn', 'created'] as const
  return (
    <div className="card share-table-card" aria-busy={busy}>
      <table className="share-table users-table" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {heads.map((head) => (
              <th key={head} scope="col" role="columnheader">
                {t(`users.head.${head}`)}
              </th>
            ))}
            <th scope="col" role="columnheader">
              <span className="visually-hidden">{t('share.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {users.map((user) => (
            <UserRow key={user.id} user={user} onOpen={(action) => onOpen(user, action)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function UserRow({ user, onOpen }: { user: UserDTO; onOpen(action: UserAction): void }) {
  const { t } = useTranslation()
  const { username, email, isAdmin, hasPassword, totpVerified, createdAt } = user
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        <span className="users-name">
          <bdi>{username}</bdi>
          {!isOther(user) && <span className="badge">{t('users.you')}</span>}
        </span>
        <span className="share-sub soft">
          <bdi>{email}</bdi>
        </span>
      </th>
      <td role="cell" data-label={t('users.head.role')}>
        {isAdmin ? <span className="badge users-admin">{t('users.admin')}</span> : t('users.user')}
      </td>
      <td role="cell" data-label={t('users.head.signIn')}>
        {!hasPassword ? t('users.noPassword') : t(totpVerified ? 'users.withTotp' : 'users.withPassword')}
      </td>
      <td role="cell" data-label={t('users.head.created')}>
        <TimeText iso={createdAt} />
      </td>
      <td role="cell" className="share-actions">
        {actions
          .filter((one) => one.for(user))
          .map(({ action, icon, danger }) => (
            <button
              key={action}
              type="button"
              className={danger ? 'icon-button icon-button-danger' : 'icon-button'}
              title={t(`users.${action}`)}
              aria-label={t(`users.${action}Of`, { name: username })}
              onClick={() => onOpen(action)}
            >
              <Icon name={icon} />
            </button>
          ))}
        {!isOther(user) && (
          <Link className="icon-button" href="/account" title={t('users.ownAccount')} aria-label={t('users.ownAccount')}>
            <Icon name="user" />
          </Link>
        )}
      </td>
    </tr>
  )
}

/** Whoever administrates changes their own ways in, and leaves, on the page of their account. */
function isOther({ id }: UserDTO): boolean {
  return id !== start.user?.id
}
