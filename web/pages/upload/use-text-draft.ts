import { useEffect, useEffectEvent, useState } from 'react'
import { forgetDraft, readDraft, writeDraft } from '../../lib/upload/text-draft.ts'

/**
 * Returns the text that the user is writing, null if there is none, and a function that changes it.
 * A text that is pasted onto the page begins one while `enabled`. It survives a reload.
 */
export function useTextDraft(enabled: boolean): [text: string | null, set: (text: string | null) => void] {
  const [text, setText] = useState(readDraft)
  const set = (text: string | null) => {
    if (text === null) forgetDraft()
    else writeDraft(text)
    setText(text)
  }
  const handlePaste = useEffectEvent(({ clipboardData, target }: ClipboardEvent) => {
    const isField = target instanceof Element && target.closest('input, textarea, [contenteditable]')
    const pasted = clipboardData?.getData('text/plain') ?? ''
    if (enabled && text === null && !isField && clipboardData?.files.length === 0 && pasted.trim() !== '') set(pasted)
  })
  useEffect(() => {
    const controller = new AbortController()
    addEventListener('paste', handlePaste, { signal: controller.signal })
    return () => controller.abort()
  }, [])
  return [text, set]
}
