import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import { Icon } from '../../components/Icon.tsx'
import { errorText } from '../../lib/error-text.ts'

interface Props {
  /** The current name, including folders. */
  name: string
  rename(name: string): Promise<unknown>
  onEnd(): void
}

/** Field that renames a file. Enter saves the name, Escape cancels. */
export function RenameField({ name, rename, onEnd }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(name)
  const renaming = useMutation({ mutationFn: rename, onSuccess: onEnd, onError: () => input.current?.focus() })
  useEffect(() => {
    const start = name.lastIndexOf('/') + 1
    const dot = name.lastIndexOf('.')
    input.current?.focus()
    input.current?.setSelectionRange(start, dot > start ? dot : name.length)
  }, [name])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed === name) return onEnd()
    if (typed.trim() !== '' && !renaming.isPending) renaming.mutate(typed)
  }
  return (
    <form className="rename words" onSubmit={submit}>
      <input
        ref={input}
        className="rename-field field"
        value={typed}
        aria-label={t('edit.newName', { name: showInvisible(name) })}
        aria-invalid={renaming.isError}
        aria-describedby={id}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onEnd()}
      />
      <p id={id} className="row-problem" role="alert">
        {renaming.isError && errorText(t, renaming.error)}
      </p>
      <button type="submit" className="icon-button" title={t('edit.rename')} aria-label={t('edit.rename')}>
        <Icon name="check" />
      </button>
      <button type="button" className="icon-button" title={t('common.cancel')} aria-label={t('common.cancel')} onClick={onEnd}>
        <Icon name="close" />
      </button>
    </form>
  )
}
