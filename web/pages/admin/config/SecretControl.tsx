import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../components/Icon.tsx'
import { type ControlProps, described, noAutofill } from './control.ts'

interface Props extends ControlProps {
  /** Whether saving the changes clears the secret. */
  cleared: boolean
  /** Discards what was typed or cleared. */
  onKeep(): void
}

/**
 * The field of a secret, which can be entered, replaced and cleared, but not read.
 * The password field is rendered only on request, so that browsers don't fill it in.
 */
export function SecretControl(props: Props) {
  const { t } = useTranslation()
  const { variable, value, cleared, onChange, onKeep } = props
  const [open, setOpen] = useState(false)
  const name = t(`config.${variable.key}`)
  const close = () => {
    setOpen(false)
    onKeep()
  }
  if (open || value !== '') {
    return (
      <div className="secret toolbar">
        <Input.Password
          {...described(props)}
          {...noAutofill}
          autoComplete="new-password"
          autoFocus={open}
          aria-label={t('config.secret.new', { name })}
          maxLength={variable.maxLength}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button onClick={close}>{t(variable.isSet ? 'config.secret.keep' : 'common.cancel')}</Button>
      </div>
    )
  }
  if (cleared) {
    return (
      <div className="secret toolbar">
        <span className="badge badge-danger">{t('config.secret.cleared')}</span>
        <Button onClick={onKeep}>{t('config.secret.keep')}</Button>
      </div>
    )
  }
  if (!variable.isSet) {
    return (
      <div className="secret toolbar">
        <span className="badge">{t('config.notSet')}</span>
        <Button
          id={props.id}
          aria-label={t('config.secret.setOf', { name })}
          aria-describedby={props.describedBy}
          onClick={() => setOpen(true)}
        >
          {t('config.secret.setNow')}
        </Button>
      </div>
    )
  }
  return (
    <div className="secret toolbar">
      <span className="badge badge-good">
        <Icon name="check" size={14} />
        {t('config.secret.set')}
      </span>
      <Button
        id={props.id}
        aria-label={t('config.secret.replaceOf', { name })}
        aria-describedby={props.describedBy}
        onClick={() => setOpen(true)}
      >
        {t('config.secret.replace')}
      </Button>
      <Button type="text" danger aria-label={t('config.secret.clearOf', { name })} onClick={() => onChange(null)}>
        {t('config.secret.clear')}
      </Button>
    </div>
  )
}
