import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../Icon.tsx'
import { addressesIn, isAddress, withoutRepeats } from './addresses.ts'

interface Props {
  /** By which its label knows it. */
  id?: string
  /** The addresses; the last one may still be being typed. */
  value?: readonly string[]
  onChange?(value: string[]): void
  /** An address was added or taken away: now it can be judged. */
  onCommit?(): void
  'aria-invalid'?: 'true'
  'aria-describedby'?: string
}

const separator = /[\s,;]/

/** A field for several e-mail addresses, each a chip. Backspace takes the last one away; the arrow keys lead to the others. */
export function AddressChips({ id, value = [], onChange, onCommit, ...aria }: Props) {
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const typed = text !== '' && value.at(-1) === text
  const chips = typed ? value.slice(0, -1) : value

  const show = (addresses: readonly string[], typing: string) => {
    setText(typing)
    onChange?.(typing === '' ? [...addresses] : [...addresses, typing])
  }
  const commit = (addresses: readonly string[]) => {
    show(withoutRepeats(addresses), '')
    onCommit?.()
  }
  const type = (entry: string) => (separator.test(entry) ? commit([...chips, ...addressesIn(entry)]) : show(chips, entry))
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text')
    if (!separator.test(pasted.trim())) return
    event.preventDefault() // the field would run the lines together
    commit([...chips, ...addressesIn(`${text} ${pasted}`)])
  }
  const remove = (place: number) => {
    show(chips.toSpliced(place, 1), typed ? text : '')
    onCommit?.()
    input.current?.focus()
  }
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const atStart = event.currentTarget.selectionStart === 0 && event.currentTarget.selectionEnd === 0
    if (event.key === 'Enter' && text !== '') {
      event.preventDefault()
      event.stopPropagation() // one address is done, not the form
      commit([...chips, text])
    }
    if (event.key === 'Backspace' && text === '' && chips.length > 0) remove(chips.length - 1)
    if (event.key === 'ArrowLeft' && atStart) removers(box.current).at(-1)?.focus()
  }
  const move = (event: KeyboardEvent, place: number) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step) (removers(box.current)[Math.max(0, place + step)] ?? input.current)?.focus()
    if (event.key === 'Backspace' || event.key === 'Delete') remove(place)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the whole box is the field
    <div className="chips" ref={box} onClick={({ target }) => target === box.current && input.current?.focus()}>
      {chips.map((address, place) => (
        <span key={address} className={isAddress(address) ? 'chip' : 'chip chip-wrong'}>
          <bdi title={address}>{address}</bdi>
          <button
            type="button"
            tabIndex={-1}
            aria-label={t('recipients.remove', { email: address })}
            onClick={() => remove(place)}
            onKeyDown={(event) => move(event, place)}
          >
            <Icon name="close" size={14} />
          </button>
        </span>
      ))}
      <input
        ref={input}
        id={id}
        type="text"
        inputMode="email"
        dir="ltr"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={typed ? text : ''}
        placeholder={chips.length === 0 ? t('recipients.placeholder') : ''}
        aria-invalid={aria['aria-invalid']}
        aria-describedby={[`${id}_chosen`, aria['aria-describedby']].filter(Boolean).join(' ')}
        onChange={(event) => type(event.target.value)}
        onPaste={paste}
        onKeyDown={press}
      />
      <span className="visually-hidden" role="status" id={`${id}_chosen`}>
        {chips.length > 0 && `${t('recipients.chosen', { count: chips.length })}: ${chips.join(', ')}`}
      </span>
    </div>
  )
}

const removers = (box: HTMLElement | null) => [...(box?.querySelectorAll('button') ?? [])]
