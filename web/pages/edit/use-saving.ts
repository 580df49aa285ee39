import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormInstance } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { api } from '../../api.ts'
import { fieldErrors } from '../../lib/error-text.ts'
import { useNotify } from '../../lib/notify.tsx'
import { start } from '../../start.ts'
import { changesOf, type Details, detailsOf } from './details.ts'
import type { EditUpload } from './edit-uploads.ts'
import type { ShareEditor } from './share-editor.ts'

/** The form field that each error is shown at. */
const errorFields = { expiration_invalid: 'expiration', expiration_exceeds_maximum: 'expiration' }

/** Saves or discards the changes to a share. */
export function useSaving(share: OwnerPage, editor: ShareEditor, form: FormInstance<Details>, upload: EditUpload | null) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const params = { id: share.id }

  /** Loads everything again that shows the share. */
  const refresh = async () => {
    const page = await queries.fetchQuery({ queryKey: editor.queryKey, queryFn: editor.load })
    start.share = null // what the server has embedded in the page is out of date
    form.resetFields()
    form.setFieldsValue(detailsOf(page))
    queries.removeQueries({ queryKey: ['share', share.id] })
    queries.removeQueries({ queryKey: ['zip', share.id] })
    queries.removeQueries({ queryKey: ['decrypted-title', share.id] })
    queries.removeQueries({ queryKey: ['decrypted-titles'] })
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['recipients', share.id] }),
      queries.invalidateQueries({ queryKey: ['shares'], refetchType: 'none' }),
    ])
  }

  const save = useMutation({
    mutationFn: async () => {
      await editor.save(changesOf(form.getFieldsValue(true), share), share.editing)
      await refresh()
    },
    onSuccess: () => notify.success(t('edit.saved')),
    onError: (error) => {
      form.setFields(fieldErrors(t, error, errorFields) as Parameters<typeof form.setFields>[0])
      void queries.invalidateQueries({ queryKey: ['edit', share.id] })
    },
  })

  const discard = async () => {
    if (upload && !upload.ended) await upload.uploader.cancel()
    if (share.editing) await api('POST /api/shares/:id/restore', { params })
    save.reset()
    await refresh()
  }
  const problem = save.error && fieldErrors(t, save.error, errorFields).length === 0 ? save.error : null
  return { save: () => save.mutate(), saving: save.isPending, problem, discard }
}
