import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { lazy, Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'wouter'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { api } from '../../api.ts'
import { OwnerShare } from '../../components/OwnerShare.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { Scene } from '../../components/Scene.tsx'
import { formatTime } from '../../lib/format.ts'
import { useNotify } from '../../lib/notify.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { EditView } from './EditView.tsx'
import { plainEditor } from './share-editor.ts'
import '../../components/files/files.css'
import './edit.css'

const EncryptedEdit = lazy(async () => ({ default: (await import('./encrypted/EncryptedEdit.tsx')).EncryptedEdit }))

/** The page that changes a share. Its visitors see the old version until the changes are saved. */
export function EditPage() {
  const { t } = useTranslation()
  const { id } = useParams<{ id: string }>()
  usePageTitle(t('edit.title'))
  return (
    <OwnerShare id={id} page="edit">
      {(share) => {
        if (!share.editable) return <AdoptShare id={id} changedAt={share.changedAt} />
        if (!share.encrypted) return <EditPlain key={id} share={share} />
        return (
          <Suspense fallback={<PageSkeleton />}>
            <EncryptedEdit key={id} share={share} />
          </Suspense>
        )
      }}
    </OwnerShare>
  )
}

function EditPlain({ share }: { share: OwnerPage }) {
  const editor = useMemo(() => plainEditor(share.id), [share.id])
  return <EditView share={share} editor={editor} />
}

/** A share that the user has received. It can be changed once the user has adopted it. */
function AdoptShare({ id, changedAt }: { id: string; changedAt: string | null }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const adopt = useMutation({
    mutationFn: () => api('POST /api/shares/:id/adopt', { params: { id }, body: null }),
    onSuccess: () => queries.invalidateQueries(),
    onError: notify.error,
  })
  return (
    <Scene
      title={t('edit.received')}
      text={changedAt ? `${t('edit.receivedChanged', { time: formatTime(changedAt) })} ${t('edit.receivedText')}` : t('edit.receivedText')}
    >
      <Button type="primary" loading={adopt.isPending} onClick={() => adopt.mutate()}>
        {t('edit.takeOver')}
      </Button>
      <Link href={`/share/${id}`} asChild>
        <Button>{t('edit.open')}</Button>
      </Link>
    </Scene>
  )
}
