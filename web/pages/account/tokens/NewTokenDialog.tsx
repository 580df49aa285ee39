import { Checkbox, Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { nameMaxLength } from '../../../../src/auth/limits.ts'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { api } from '../../../api.ts'
import { useConfirmed } from '../../../components/Confirmation.tsx'
import { FormDialog } from '../../../components/FormDialog.tsx'
import type { ApiToken } from '../queries.ts'
import type { CreatedToken } from './TokenDialog.tsx'

interface Props {
  open: boolean
  user: UserDTO
  onDone(created: CreatedToken): void
  onClose(): void
}
type Scope = ApiToken['scopes'][number]
interface Fields {
  name: string
  scopes: Scope[]
  /** Days until the token expires; 0 means never. */
  days: number
}

const lifetimes = [7, 30, 90, 365, 0] // days
const initial = { scopes: ['shares:read', 'shares:write'] as Scope[], days: 90 }

/** Creates an API token with scopes and an expiration. */
export function NewTokenDialog({ open, user, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  const scopes: Scope[] = user.isAdmin ? ['shares:read', 'shares:write', 'admin'] : ['shares:read', 'shares:write']
  return (
    <FormDialog<Fields, CreatedToken>
      open={open}
      title={t('token.createTitle')}
      ok={t('token.create')}
      initial={initial}
      submit={({ name, scopes, days }) =>
        confirmed((password) => api('POST /api/auth/tokens', { body: { name: name.trim(), scopes, expiresAt: inDays(days), password } }))
      }
      onDone={onDone}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={t('token.name')}
        extra={t('token.nameHint')}
        rules={[{ required: true, whitespace: true, message: t('rule.required') }]}
      >
        <Input autoFocus autoComplete="off" maxLength={nameMaxLength} />
      </Form.Item>
      <Form.Item name="scopes" rules={[{ required: true, message: t('token.noScope') }]}>
        <Scopes offered={scopes} />
      </Form.Item>
      <Form.Item name="days" label={t('token.life')}>
        <Select
          options={lifetimes.map((days) => ({
            value: days,
            label: days === 0 ? t('token.staysForever') : t('token.days', { count: days }),
          }))}
        />
      </Form.Item>
    </FormDialog>
  )
}

interface ScopesProps {
  offered: Scope[]
  /** Set by the form, as is `onChange`. */
  value?: Scope[]
  onChange?(value: Scope[]): void
}

function Scopes({ offered, value = [], onChange }: ScopesProps) {
  const { t } = useTranslation()
  return (
    <fieldset className="token-scopes stack">
      <legend>{t('token.scopes')}</legend>
      {offered.map((scope) => (
        <Checkbox
          key={scope}
          checked={value.includes(scope)}
          onChange={({ target }) => onChange?.(offered.filter((other) => (other === scope ? target.checked : value.includes(other))))}
        >
          {t(`token.scope.${scope}`)}
        </Checkbox>
      ))}
    </fieldset>
  )
}

function inDays(days: number): string | null {
  return days === 0 ? null : new Date(Date.now() + days * 86_400_000).toISOString()
}
