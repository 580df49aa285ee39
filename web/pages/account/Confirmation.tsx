import { Button, Modal } from 'antd'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api.ts'
import { CurrentPasswordField } from '../../components/AccountFields.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { useNotify } from '../../lib/notify.tsx'
import { signInAgain } from '../../lib/sign-out.ts'

/** The user was asked whether it is them, and thought better of it. */
export class Unconfirmed extends Error {}

type Work<T> = (password?: string) => Promise<T>
interface Question {
  hasPassword: boolean
  work: Work<unknown>
  answer: PromiseWithResolvers<unknown>
}

type Outcome = { result: unknown } | { failure: unknown }
const passwordErrors = ['wrong_password', 'too_many_requests', 'network', 'unavailable']

const ConfirmationContext = createContext<(<T>(work: Work<T>) => Promise<T>) | null>(null)

/** Asks for the password where the server wants it (`confirmation_required`), and does the work then; who has no password signs in again. */
export function ConfirmationProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const [question, setQuestion] = useState<Question | null>(null)
  const answered = useRef(false)
  const confirmed = useCallback(async <T,>(work: Work<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!isConfirmationRequired(error)) throw error
      const answer = Promise.withResolvers<unknown>()
      answered.current = false
      setQuestion({ hasPassword: error.details.hasPassword === true, work, answer })
      return answer.promise as Promise<T>
    }
  }, [])
  const close = () => {
    if (!answered.current) question?.answer.reject(new Unconfirmed())
    setQuestion(null)
  }
  return (
    <ConfirmationContext value={confirmed}>
      {children}
      <FormDialog<{ currentPassword: string }, Outcome>
        open={question?.hasPassword === true}
        title={t('account.confirmTitle')}
        ok={t('account.confirm')}
        owners={{ wrong_password: 'currentPassword' }}
        submit={({ currentPassword }) => outcomeOf(question!.work(currentPassword))}
        onDone={(outcome) => {
          answered.current = true
          if ('failure' in outcome) question?.answer.reject(outcome.failure)
          else question?.answer.resolve(outcome.result)
          setQuestion(null)
        }}
        onClose={close}
      >
        <p className="soft">{t('account.confirmText')}</p>
        <CurrentPasswordField autoFocus />
      </FormDialog>
      <Modal
        open={question?.hasPassword === false}
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

/** Does what may need a confirmation. Throws `Unconfirmed` when the user does not give it. */
export function useConfirmed() {
  return useContext(ConfirmationContext)!
}

/** Tells of a failure, unless it is the user's own decision. */
export function useFailure(tell?: (error: unknown) => void) {
  const notify = useNotify()
  return (error: unknown) => {
    if (!(error instanceof Unconfirmed)) (tell ?? notify.error)(error)
  }
}

/** What is wrong with the password is told where it is asked for; any other failure is the work's own. */
async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await work }
  } catch (failure) {
    if (failure instanceof ApiError && passwordErrors.includes(failure.code)) throw failure
    return { failure }
  }
}

function isConfirmationRequired(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'confirmation_required'
}
