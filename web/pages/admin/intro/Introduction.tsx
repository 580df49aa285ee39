import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { Razorbill } from '../../../components/Razorbill.tsx'
import { landing } from '../../../lib/access.ts'
import { useNotify } from '../../../lib/notify.tsx'
import { fieldId } from '../config/Setting.tsx'
import { type SettingsForm, useDrafts } from '../config/use-drafts.ts'
import { finishSetup } from './finish.ts'
import { AddressStep, MailStep, NameStep, PeopleStep } from './steps.tsx'

const steps = [
  { title: 'intro.name.title', Step: NameStep },
  { title: 'intro.url.title', Step: AddressStep },
  { title: 'intro.people.title', Step: PeopleStep },
  { title: 'intro.mail.title', Step: MailStep },
]

export interface StepProps {
  variables: AdminVariable[]
  form: SettingsForm
}

/**
 * The steps of the introduction. Each is saved before the next one, so that closing the tab loses
 * nothing.
 */
export function Introduction({ variables, onDone }: { variables: AdminVariable[]; onDone(): void }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const [, navigate] = useLocation()
  const [index, setIndex] = useState(0)
  const finish = useMutation({ mutationFn: finishSetup, onSuccess: onDone, onError: notify.error })
  const skip = useMutation({ mutationFn: finishSetup, onSuccess: () => navigate(landing()), onError: notify.error })
  const isLast = index === steps.length - 1
  const continueIntroduction = () => (isLast ? finish.mutate() : setIndex(index + 1))
  const form = useDrafts(variables, {
    onSaved: continueIntroduction,
    onProblem: ({ key }) => document.getElementById(fieldId(key))?.focus(),
  })
  const title = useFocusOnChange(index)
  const { title: titleKey, Step } = steps[index]!
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (Object.keys(form.drafts).length > 0) form.save()
    else continueIntroduction()
  }
  const goBack = () => {
    form.discard()
    setIndex(index - 1)
  }
  return (
    <section className="intro perch card">
      <Razorbill className="perch-picture" files={index + 1} />
      <p className="soft intro-position small">{t('intro.step', { step: index + 1, steps: steps.length })}</p>
      <h1 ref={title} tabIndex={-1}>
        {t(titleKey)}
      </h1>
      <form noValidate autoComplete="off" onSubmit={submit}>
        <Step key={index} variables={variables} form={form} />
        <div className="intro-actions">
          {index > 0 && <Button onClick={goBack}>{t('intro.back')}</Button>}
          <Button type="primary" size="large" htmlType="submit" loading={form.saving || finish.isPending}>
            {t(isLast ? 'intro.finish' : 'intro.next')}
          </Button>
        </div>
      </form>
      <button type="button" className="text-button intro-skip" disabled={skip.isPending} onClick={() => skip.mutate()}>
        {t('intro.skip')}
      </button>
    </section>
  )
}

/** Focuses the title of each new step. */
function useFocusOnChange(index: number) {
  const title = useRef<HTMLHeadingElement>(null)
  const last = useRef(index)
  useEffect(() => {
    if (last.current !== index) title.current?.focus()
    last.current = index
  }, [index])
  return title
}
