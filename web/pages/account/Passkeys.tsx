import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../api.ts'
import { useConfirmed, useFailure } from '../../components/Confirmation.tsx'
import { focusPart, Loaded, Part } from '../../components/Part.tsx'
import { Row, RowButton, RowList } from '../../components/RowList.tsx'
import { TimeText } from '../../components/TimeText.tsx'
import { useNotify } from '../../lib/notify.tsx'
import { addPasskey, arePasskeysAvailable, passkeyErrorText } from '../../lib/passkeys.ts'
import { start } from '../../start.ts'
import { deviceText } from './device.ts'
import { DeletePasskey } from './passkeys/DeletePasskey.tsx'
import { RenamePasskey } from './passkeys/RenamePasskey.tsx'
import { type Passkey, passkeys, useReload } from './queries.ts'

/** The passkeys of the account. */
export function Passkeys() {
  const { t } = useTranslation()
  const notify = useNotify()
  const confirmed = useConfirmed()
  const reload = useReload()
  const list = useQuery(passkeys)
  const [renaming, setRenaming] = useState<Passkey | null>(null)
  const [deleting, setDeleting] = useState<Passkey | null>(null)
  const failed = useFailure((error) => notify.warning(passkeyErrorText(t, error)))
  const add = useMutation({
    mutationFn: () => confirmed((password) => addPasskey(deviceText(t, navigator.userAgent), password)),
    onSuccess: async (passkey) => {
      start.secondFactorRequired = false
      await reload('passkeys')
      setRenaming(passkey)
    },
    onError: failed,
  })
  const areAvailable = arePasskeysAvailable()
  return (
    <Part
      id="passkeys"
      title={t('passkey.title')}
      text={t(areAvailable ? 'passkey.text' : 'error.passkeys_unavailable')}
      action={
        areAvailable && (
          <Button loading={add.isPending} onClick={() => add.mutate()}>
            {t('passkey.add')}
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {(items) =>
          items.length > 0 && (
            <RowList label={t('passkey.title')}>
              {items.map((passkey) => (
                <PasskeyRow
                  key={passkey.id}
                  passkey={passkey}
                  onRename={() => setRenaming(passkey)}
                  onDelete={() => setDeleting(passkey)}
                />
              ))}
            </RowList>
          )
        }
      </Loaded>
      <RenamePasskey
        passkey={renaming}
        isNew={renaming !== null && renaming.id === add.data?.id && renaming.lastUsedAt === null}
        submit={(id, name) => api('PATCH /api/auth/passkeys/:id', { params: { id }, body: { name } })}
        onClose={() => setRenaming(null)}
        onDone={async () => {
          setRenaming(null)
          notify.success(t('passkey.saved'))
          await reload('passkeys')
        }}
      />
      <DeletePasskey
        passkey={deleting}
        onClose={() => setDeleting(null)}
        onDeleted={async () => {
          setDeleting(null)
          await reload('passkeys')
          focusPart('passkeys')
        }}
      />
    </Part>
  )
}

function PasskeyRow({ passkey, onRename, onDelete }: { passkey: Passkey; onRename(): void; onDelete(): void }) {
  const { t } = useTranslation()
  const { name, createdAt, lastUsedAt, backedUp } = passkey
  return (
    <Row
      icon="key"
      title={name}
      facts={[
        <>
          {t('account.added')} <TimeText iso={createdAt} relative />
        </>,
        lastUsedAt ? (
          <>
            {t('account.lastUsed')} <TimeText iso={lastUsedAt} relative />
          </>
        ) : (
          t('account.neverUsed')
        ),
        backedUp && t('passkey.backedUp'),
      ]}
    >
      <RowButton icon="pencil" title={t('passkey.rename')} label={t('passkey.renameOf', { name })} onClick={onRename} />
      <RowButton icon="trash" title={t('common.delete')} label={t('passkey.deleteOf', { name })} danger onClick={onDelete} />
    </Row>
  )
}
