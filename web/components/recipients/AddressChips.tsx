import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../Icon.tsx'
import { addressesIn, isAddress, uniqueAddresses } from './addresses.ts'

interface Props {
  /** ID that the label refers to. */
  id?: string
  /** The addresses. The last one may be incomplete while the user is typing. */
  value?: readonly string[]
  /** Addresses that were used before, the last used first. */
  suggestions?: readonly string[]
  onChange?(value: string[]): void
  /** Called when an address was added or removed, so that the field can be validated. */
  onCommit?(): void
  'aria-invalid'?: 'true'
  'aria-describedby'?: string
}

const shownSuggestions = 4
const separator = /[\s,;]/

/**
 * A field for several email addresses, each shown as a chip. Backspace removes the last one, arrow
 * keys select the others.
 */
export function AddressChips({ id, value = [], suggestions = [], onChange, onCommit, ...aria }: Props) {
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
  const unused = suggestions.filter((address) => !chips.some((chip) => isSame(chip, address)))
  const handleInput = (entry: string, isTyped: boolean) => {
    const isChosen = !isTyped && suggestions.includes(entry)
    if (isChosen || separator.test(entry)) commit([...chips, ...addressesIn(entry)])
    else show(chips, entry)
  }
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
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the whole box is the field */}
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
          list={`${id}_suggestions`}
          onChange={({ target, nativeEvent }) => handleInput(target.value, (nativeEvent as InputEvent).inputType === 'insertText')}
          onPaste={handlePaste}
          onKeyDown={handleKey}
        />
        <span className="visually-hidden" role="status" id={`${id}_chosen`}>
          {chips.length > 0 && `${t('recipients.chosen', { count: chips.length })}: ${chips.join(', ')}`}
        </span>
      </div>
      <Suggestions id={`${id}_suggestions`} addresses={unused} onAdd={(address) => commit([...chips, address])} />
    </>
  )
}

const isSame = (a: string, b: string) => uniqueAddresses([a, b]).length === 1

interface SuggestionsProps {
  id: string
  addresses: readonly string[]
  onAdd(address: string): void
}

/** Offers the last used addresses as buttons, and all of them while the user types. */
function Suggestions({ id, addresses, onAdd }: SuggestionsProps) {
  const { t } = useTranslation()
  return (
    <>
      <datalist id={id}>
        {addresses.map((address) => (
          <option key={address} value={address} />
        ))}
      </datalist>
      {addresses.length > 0 && (
        <div className="chips-suggested">
          {addresses.slice(0, shownSuggestions).map((address) => (
            <button
              type="button"
              key={address}
              className="chip"
              aria-label={t('recipients.addOne', { email: address })}
              onClick={() => onAdd(address)}
            >
              <Icon name="plus" size={14} />
              <bdi title={address}>{address}</bdi>
            </button>
          ))}
        </div>
      )}
    </>
  )
}

const removeButtons = (box: HTMLElement | null) => [...(box?.querySelectorAll('button') ?? [])]
