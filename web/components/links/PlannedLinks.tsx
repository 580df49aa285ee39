import { Button, Form } from 'antd'
import type { TFunction } from 'i18next'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { linksMax } from '../../../src/shares/limits.ts'
import { formatNumber } from '../../lib/format.ts'
import { useLast } from '../../lib/last.ts'
import { Icon } from '../Icon.tsx'
import { RowButton } from '../RowList.tsx'
import { randomLink } from '../share-form/random-link.ts'
import { durationText } from './LinkRules.tsx'
import { fieldsOf } from './link-form.ts'
import { linkName } from './link-name.ts'
import type { PlannedLink } from './planned-links.ts'
import './links.css'

const PlannedLinkDialog = lazy(async () => ({ default: (await import('./PlannedLinkDialog.tsx')).PlannedLinkDialog }))

interface Props {
  links: readonly PlannedLink[]
  onChange(links: PlannedLink[]): void
}

/** The links that a new share gets in addition to its first one. Belongs in the form of the share. */
export function PlannedLinks({ links, onChange }: Props) {
  const { t } = useTranslation()
  const encrypted = Form.useWatch<boolean>('encrypted', Form.useFormInstance()) ?? false
  const [opened, setOpened] = useState<PlannedLink | null>(null)
  const last = useLast(opened)
  const isPlanned = (id: string) => links.some((link) => link.id === id)
  const save = (saved: PlannedLink) => {
    onChange(isPlanned(saved.id) ? links.map((link) => (link.id === saved.id ? saved : link)) : [...links, saved])
    setOpened(null)
  }
  return (
    <div className="planned-links stack">
      <div className="lines">
        <h3 id="planned-links">{t('links.more')}</h3>
        <p className="small soft">{t('links.text')}</p>
      </div>
      {links.length > 0 && (
        <ul className="ruled" aria-labelledby="planned-links">
          {links.map((link) => (
            <PlannedLinkRow
              key={link.id}
              link={link}
              encrypted={encrypted}
              onEdit={() => setOpened(link)}
              onRemove={() => onChange(links.filter(({ id }) => id !== link.id))}
            />
          ))}
        </ul>
      )}
      <div>
        <Button
          icon={<Icon name="plus" size={18} />}
          disabled={links.length >= linksMax - 1}
          onClick={() => setOpened({ id: randomLink(), ...fieldsOf(null) })}
        >
          {t('links.addAnother')}
        </Button>
      </div>
      <Suspense>
        {last && (
          <PlannedLinkDialog
            key={last.id}
            open={opened !== null}
            link={last}
            isNew={!isPlanned(last.id)}
            encrypted={encrypted}
            onDone={save}
            onClose={() => setOpened(null)}
          />
        )}
      </Suspense>
    </div>
  )
}

interface RowProps {
  link: PlannedLink
  encrypted: boolean
  onEdit(): void
  onRemove(): void
}

function PlannedLinkRow({ link, encrypted, onEdit, onRemove }: RowProps) {
  const { t } = useTranslation()
  const name = linkName({ ...link, first: false }, t)
  return (
    <li className="planned-link line">
      <div className="words">
        <p>
          <bdi className="own-words">{name}</bdi>
        </p>
        <p className="facts small soft">
          {rulesOf(t, link, encrypted).map((rule) => (
            <span key={rule}>{rule}</span>
          ))}
        </p>
      </div>
      <RowButton icon="pencil" title={t('links.edit')} label={t('links.editOf', { name })} onClick={onEdit} />
      <RowButton icon="close" title={t('links.remove')} label={t('links.removeOf', { name })} onClick={onRemove} />
    </li>
  )
}

function rulesOf(t: TFunction, { password, expiration, maxViews, maxDownloads }: PlannedLink, encrypted: boolean): string[] {
  const rules = [
    expiration === 'never' ? t('links.expiresWithShare') : t('links.expiresAfter', { duration: durationText(t, expiration) }),
    password && !encrypted && t('shares.protected'),
    maxViews && t('links.maxViews', { max: formatNumber(maxViews) }),
    maxDownloads && t('links.maxDownloads', { max: formatNumber(maxDownloads) }),
  ]
  return rules.filter((rule) => typeof rule === 'string')
}
