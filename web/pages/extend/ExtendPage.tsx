import { useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'wouter'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { ExtendDialog } from '../../components/ExtendDialog.tsx'
import { OwnerShare } from '../../components/OwnerShare.tsx'
import { Scene } from '../../components/Scene.tsx'
import { ExpiresText } from '../../components/TimeText.tsx'
import { useOwnTitle } from '../../lib/encryption/own-titles.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { sharePath } from '../../lib/share-addresses.ts'

/** The page that extends a share. The email about a share that expires soon leads to it. */
export function ExtendPage() {
  const { t } = useTranslation()
  const { id } = useParams<{ id: string }>()
  usePageTitle(t('shares.extend'))
  return (
    <OwnerShare id={id} page="extend">
      {(share) => <ExtendView share={share} />}
    </OwnerShare>
  )
}

function ExtendView({ share }: { share: OwnerPage }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [isOpen, setIsOpen] = useState(true)
  const title = useOwnTitle(share)
  return (
    <Scene title={title} text={<ExpiresText expiration={share.expiration} />}>
      <Button type="primary" onClick={() => setIsOpen(true)}>
        {t('shares.extend')}
      </Button>
      <Link href={sharePath(share.id)} asChild>
        <Button>{t('edit.open')}</Button>
      </Link>
      <ExtendDialog
        open={isOpen}
        ids={[share.id]}
        onDone={() => queries.invalidateQueries({ queryKey: ['extend', share.id] })}
        onClose={() => setIsOpen(false)}
      />
    </Scene>
  )
}
