import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { useConfirmed, useFailure } from '../../../components/Confirmation.tsx'
import { type SettingProblem, settingProblem } from './problem.ts'
import { saveSettings } from './settings.ts'
import { type Drafts, type Value, withDraft } from './values.ts'

export interface SettingsForm {
  drafts: Drafts
  problem: SettingProblem | null
  saving: boolean
  change(variable: AdminVariable, value: Value | null): void
  discard(): void
  save(): void
}

interface Handlers {
  onSaved?(): void
  /** Called when the server has refused a setting. */
  onProblem?(problem: SettingProblem): void
}

/** Returns the unsaved changes of settings and functions to change, discard and save them. */
export function useDrafts(variables: AdminVariable[], { onSaved, onProblem }: Handlers = {}): SettingsForm {
  const { t } = useTranslation()
  const confirmed = useConfirmed()
  const failed = useFailure()
  const queries = useQueryClient()
  const [drafts, setDrafts] = useState<Drafts>({})
  const [problem, setProblem] = useState<SettingProblem | null>(null)
  const saving = useMutation({
    mutationFn: (saved: Drafts) => confirmed((password) => saveSettings(queries, saved, password)),
    onSuccess: (_, saved) => {
      setDrafts((current) => Object.fromEntries(Object.entries(current).filter(([key, value]) => saved[key] !== value)))
      onSaved?.()
    },
    onError: (error) => {
      const refused = settingProblem(t, error, variables)
      setProblem(refused)
      if (refused) onProblem?.(refused)
      else failed(error)
    },
  })
  return {
    drafts,
    problem,
    saving: saving.isPending,
    change(variable, value) {
      setDrafts((current) => withDraft(current, variable, value))
      setProblem((current) => (current?.key === variable.key ? null : current))
    },
    discard() {
      setDrafts({})
      setProblem(null)
    },
    save() {
      setProblem(null)
      saving.mutate(drafts)
    },
  }
}
