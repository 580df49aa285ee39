import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, sendForm } from '../../../api.ts'
import { errorText } from '../../../lib/error-text.ts'
import { logoAddress } from '../../../lib/logo.ts'
import { useNotify } from '../../../lib/notify.tsx'
import { settings } from '../../../start.ts'
import { LogoPreview } from './LogoPreview.tsx'
import { logoProblem } from './logo-file.ts'
import { allSettings } from './settings.ts'

/** Shows the current logo and replaces it after a preview. The new logo is used at once. */
export function LogoSetting({ id, version }: { id: string; version: string }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<File | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const address = useFileAddress(chosen)

  const done = async (newVersion: string, text: string) => {
    Object.assign(settings, { 'general.logo': newVersion })
    await queries.invalidateQueries({ queryKey: allSettings.queryKey })
    setChosen(null)
    notify.success(text)
  }
  const onError = (error: unknown) => setProblem(errorText(t, error))
  const use = useMutation({
    mutationFn: (file: File) => sendForm('POST /api/configs/admin/logo', formOf(file)),
    onSuccess: ({ version }) => done(version, t('config.logo.saved')),
    onError,
  })
  const reset = useMutation({
    mutationFn: () => api('PATCH /api/configs/admin', { body: { changes: [{ key: 'general.logo', value: null }] } }),
    onSuccess: () => done('', t('config.logo.removed')),
    onError,
  })
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (!file) return
    const fileProblem = await logoProblem(t, file)
    setProblem(fileProblem)
    setChosen(fileProblem ? null : file)
  }

  return (
    <div>
      <LogoPreview address={address ?? logoAddress(version)} title={t(chosen ? 'config.logo.preview' : 'config.logo.current')} />
      <input ref={input} id={id} hidden type="file" accept="image/png,.png" onChange={choose} />
      <div className="actions">
        {chosen && (
          <Button type="primary" loading={use.isPending} onClick={() => use.mutate(chosen)}>
            {t('config.logo.use')}
          </Button>
        )}
        <Button disabled={use.isPending} onClick={() => input.current?.click()}>
          {t('config.logo.choose')}
        </Button>
        {chosen && (
          <Button type="text" disabled={use.isPending} onClick={() => setChosen(null)}>
            {t('common.cancel')}
          </Button>
        )}
        {!chosen && version && (
          <Button type="text" loading={reset.isPending} onClick={() => reset.mutate()}>
            {t('config.logo.remove')}
          </Button>
        )}
      </div>
      <p className="setting-problem" role="alert">
        {problem}
      </p>
    </div>
  )
}

function formOf(file: File): FormData {
  const form = new FormData()
  form.append('file', file)
  return form
}

/** Returns an object URL for a selected file. */
function useFileAddress(file: File | null): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return setAddress(null)
    const url = URL.createObjectURL(file)
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, [file])
  return address
}
