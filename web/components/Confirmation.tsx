import { Button, Modal } from 'antd'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../api.ts'
import { useNotify } from '../lib/notify.tsx'
import { recentPassword, rememberPassword } from '../lib/recent-password.ts'
import { signInAgain } from '../lib/sign-out.ts'
import { CurrentPasswordField } from './AccountFields.tsx'
import { FormDialog } from './FormDialog.tsx'

/** The user has closed the dialog that asks for their password. */
class ConfirmationCancelled extends Error {}

type Action<T> = (password?: string) => Promise<T>

/** An action that waits until the user has confirmed their identity. */
interface PendingAction {
  hasPassword: boolean
  action: Action<unknown>
  completion: PromiseWithResolvers<unknown>
}

type Outcome = { result: unknown } | { failure: unknown }
const passwordErrors = ['wrong_password', 'too_many_requests', 'network', 'unavailable']

const ConfirmationContext = createContext<(<T>(action: Action<T>) => Promise<T>) | null>(null)

/**
 * Asks for the password when the server requires it (`confirmation_required`), then repeats the
 * action. A password that was entered in the last five minutes is not asked for again.
 * A user without a password is asked to sign in again.
 */
export function ConfirmationProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const [pending, setPending] = useState<PendingAction | null>(null)
  const settled = useRef(false)
  const confirmed = useCallback(async <T,>(action: Action<T>): Promise<T> => {
    try {
      return await action()
    } catch (error) {
      if (!isConfirmationRequired(error)) throw error
      const repeated = await byRecentPassword(action)
      if (repeated) return repeated.result
      const completion = Promise.withResolvers<unknown>()
      settled.current = false
      setPending({ hasPassword: error.details.hasPassword === true, action, completion })
      return completion.promise as Promise<T>
    }
  }, [])
  const close = () => {
    if (!settled.current) pending?.completion.reject(new ConfirmationCancelled())
    setPending(null)
  }
  return (
    <ConfirmationContext value={confirmed}>
      {children}
      <FormDialog<{ currentPassword: string }, Outcome>
        open={pending?.hasPassword === true}
        title={t('account.confirmTitle')}
        ok={t('account.confirm')}
        fieldOfCode={{ wrong_password: 'currentPassword' }}
        submit={async ({ currentPassword }) => {
          const outcome = await outcomeOf(pending?.action(currentPassword))
          if ('result' in outcome) rememberPassword(currentPassword)
          return outcome
        }}
        onDone={(outcome) => {
          settled.current = true
          if ('failure' in outcome) pending?.completion.reject(outcome.failure)
          else pending?.completion.resolve(outcome.result)
          setPending(null)
        }}
        onClose={close}
      >
        <p className="soft">{t('account.confirmText')}</p>
        <CurrentPasswordField autoFocus />
      </FormDialog>
      <Modal
        open={pending?.hasPassword === false}
        title={t('account.confirmTitle')}
        width={440}
        closable={{ 'aria-label': t('common.close') }}
        footer={
          <>
            <Button onClick={close}>{t('common.cancel')}</Button>
            <Button type="primary" onClick={() => signInAgain().catch(notify.error)}>
              {t('auth.signInAgain')}
            </Button>
          </>
        }
        onCancel={close}
      >
        <p>{t('account.confirmAgain')}</p>
      </Modal>
    </ConfirmationContext>
  )
}

/**
 * Returns a function that runs an action and asks for the password when the server requires it.
 * The function throws `ConfirmationCancelled` when the user closes the dialog.
 */
export function useConfirmed() {
  const confirmed = useContext(ConfirmationContext)
  if (!confirmed) throw new Error('useConfirmed needs a ConfirmationProvider')
  return confirmed
}

/** Returns a function that reports an error, unless the user has cancelled the confirmation. */
export function useFailure(report?: (error: unknown) => void) {
  const notify = useNotify()
  return (error: unknown) => {
    if (!(error instanceof ConfirmationCancelled)) (report ?? notify.error)(error)
  }
}

/**
 * Rethrows an error about the password, which the dialog shows. Other errors belong to the action.
 */
async function outcomeOf(action: Promise<unknown> | undefined): Promise<Outcome> {
  try {
    return { result: await action }
  } catch (failure) {
    if (failure instanceof ApiError && passwordErrors.includes(failure.code)) throw failure
    return { failure }
  }
}

/** Repeats an action with the password that the user entered lately; null if there is none. */
async function byRecentPassword<T>(action: Action<T>): Promise<{ result: T } | null> {
  const password = recentPassword()
  if (password === undefined) return null
  try {
    return { result: await action(password) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'wrong_password') throw error
    rememberPassword(undefined)
    return null
  }
}

function isConfirmationRequired(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'confirmation_required'
}
