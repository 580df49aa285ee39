import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ShareLink } from '../../../src/shares/links/contract.ts'
import { api } from '../../api.ts'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { AskDialog } from '../AskDialog.tsx'
import { Icon } from '../Icon.tsx'
import { LinkDialog } from '../LinkDialog.tsx'
import { Loaded } from '../Part.tsx'
import { LinkFormDialog } from './LinkFormDialog.tsx'
import { type LinkAction, LinkRow } from './LinkRow.tsx'
import { linkName } from './link-name.ts'
import { linksOf } from './queries.ts'
import './links.css'

type Opened = { action: 'add' } | { action: LinkAction; link: ShareLink }

/**
 * Lists the links of a share for its owner, who can add, change and turn off links. Those of
 * recipients are listed with them.
 */
export function ShareLinks({ shareId, encrypted }: { shareId: string; encrypted: boolean }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const links = useQuery(linksOf(shareId))
  const [opened, setOpened] = useState<Opened | null>(null)
  const refresh = () => queries.invalidateQueries({ queryKey: ['links', shareId] })
  const turn = useMutation({
    mutationFn: ({ link, enabled }: { link: string; enabled: boolean }) =>
      api('PATCH /api/shares/:id/links/:link', { params: { id: shareId, link }, body: { enabled } }),
    onSettled: refresh,
    onError: notify.error,
  })
  return (
    <div className="links stack">
      <Loaded query={links}>
        {(rows) => (
          <ul className="link-rows ruled">
            {rows
              .filter(({ recipient }) => recipient === null)
              .map((link) => (
                <LinkRow
                  key={link.id}
                  link={link}
                  encrypted={encrypted ? shareId : undefined}
                  busy={turn.isPending && turn.variables.link === link.id}
                  onSwitch={(enabled) => turn.mutate({ link: link.id, enabled })}
                  onAction={(action) => setOpened({ action, link })}
                />
              ))}
          </ul>
        )}
      </Loaded>
      <div>
        <Button icon={<Icon name="plus" size={18} />} onClick={() => setOpened({ action: 'add' })}>
          {t('links.add')}
        </Button>
      </div>
      <LinkDialogs shareId={shareId} encrypted={encrypted} opened={opened} onOpen={setOpened} onChanged={refresh} />
    </div>
  )
}

interface DialogProps {
  shareId: string
  encrypted: boolean
  opened: Opened | null
  onOpen(opened: Opened | null): void
  onChanged(): Promise<void>
}

function LinkDialogs({ shareId, encrypted, opened, onOpen, onChanged }: DialogProps) {
  const { t } = useTranslation()
  const notify = useNotify()
  const last = useLast(opened)
  const close = () => onOpen(null)
  const link = last && 'link' in last ? last.link : null
  const isOpen = (action: Opened['action']) => opened?.action === action
  const changed = (text: string) => {
    notify.success(text)
    void onChanged()
  }
  return (
    <>
      {(last?.action === 'add' || last?.action === 'edit') && (
        <LinkFormDialog
          key={link?.id ?? 'new'}
          open={isOpen('add') || isOpen('edit')}
          shareId={shareId}
          encrypted={encrypted}
          link={link}
          onDone={(saved) => (link ? close() : onOpen({ action: 'show', link: saved }))}
          onClose={close}
        />
      )}
      {link && (
        <LinkDialog
          open={isOpen('show')}
          title={linkName(link, t)}
          link={link.link}
          encrypted={encrypted ? shareId : undefined}
          onClose={close}
        />
      )}
      {link && (
        <AskDialog
          open={isOpen('replace')}
          title={t('links.replaceTitle')}
          text={t('links.replaceText')}
          ok={t('links.replace')}
          action={() => api('POST /api/shares/:id/links/:link/replace', { params: { id: shareId, link: link.id }, body: null })}
          onDone={() => {
            close()
            changed(t('links.replaced'))
          }}
          onError={notify.error}
          onClose={close}
        />
      )}
      {link && (
        <AskDialog
          open={isOpen('delete')}
          danger
          title={t('links.deleteTitle')}
          text={t('links.deleteText')}
          ok={t('common.delete')}
          action={() => api('DELETE /api/shares/:id/links/:link', { params: { id: shareId, link: link.id } })}
          onDone={() => {
            close()
            changed(t('links.deleted'))
          }}
          onError={notify.error}
          onClose={close}
        />
      )}
    </>
  )
}
