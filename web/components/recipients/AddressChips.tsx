import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../Icon.tsx'
import { addressesIn, isAddress, uniqueAddresses } from './addresses.ts'

interface Props {
  /** ID that the label refers to. */
  id?: string
  /** The addresses. The last one may be incomplete while the user is typing. */
  value?: readonly string[]
  onChange?(value: string[]): void
  /** Called when an address was added or removed, so that the field can be validated. */
  onCommit?(): void
  'aria-invalid'?: 'true'
  'aria-describedby'?: string
}

const separator = /[\s,;]/

/**
 * A field for several email addresses, each shown as a chip. Backspace removes the last one, arrow
 * keys select the others.
 */
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
    show(uniqueAddresses(addresses), '')
    onCommit?.()
  }
  const handleInput = (entry: string) => (separator.test(entry) ? commit([...chips, ...addressesIn(entry)]) : show(chips, entry))
  const handlePaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text')
    if (!separator.test(pasted.trim())) return
    event.preventDefault() // the field would join the lines
    commit([...chips, ...addressesIn(`${text} ${pasted}`)])
  }
  const remove = (index: number) => {
    show(chips.toSpliced(index, 1), typed ? text : '')
    onCommit?.()
    input.current?.focus()
  }
  const handleKey = (event: KeyboardEvent<HTMLInputElement>) => {
    const atStart = event.currentTarget.selectionStart === 0 && event.currentTarget.selectionEnd === 0
    if (event.key === 'Enter' && text !== '') {
      event.preventDefault()
      event.stopPropagation() // Enter ends the address and must not submit the form
      commit([...chips, text])
    }
    if (event.key === 'Backspace' && text === '' && chips.length > 0) remove(chips.length - 1)
    if (event.key === 'ArrowLeft' && atStart) removeButtons(box.current).at(-1)?.focus()
  }
  const handleChipKey = (event: KeyboardEvent, index: number) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step) (removeButtons(box.current)[Math.max(0, index + step)] ?? input.current)?.focus()
    if (event.key === 'Backspace' || event.key === 'Delete') remove(index)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the whole box is the field
    <div className="chips" ref={box} onClick={({ target }) => target === box.current && input.current?.focus()}>
      {chips.map((address, index) => (
        <span key={address} className={isAddress(address) ? 'chip' : 'chip chip-wrong'}>
          <bdi title={address}>{address}</bdi>
          <button
            type="button"
            tabIndex={-1}
            aria-label={t('recipients.remove', { email: address })}
            onClick={() => remove(index)}
            onKeyDown={(event) => handleChipKey(event, index)}
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
        onChange={(event) => handleInput(event.target.value)}
        onPaste={handlePaste}
        onKeyDown={handleKey}
      />
      <span className="visually-hidden" role="status" id={`${id}_chosen`}>
        {chips.length > 0 && `${t('recipients.chosen', { count: chips.length })}: ${chips.join(', ')}`}
      </span>
    </div>
  )
}

const removeButtons = (box: HTMLElement | null) => [...(box?.querySelectorAll('button') ?? [])]
