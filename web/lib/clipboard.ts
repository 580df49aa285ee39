/**
 * Copies a text and returns whether it was copied. Works without HTTPS too, where browsers have no
 * Clipboard API.
 */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // without permission for the API, copying a selection may still work
    }
  }
  return copyBySelection(text)
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement as HTMLElement | null
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'visually-hidden'
  const dialog = before?.closest('[role=dialog], dialog') ?? document.body // a dialog keeps the focus inside
  dialog.append(field)
  field.select()
  field.setSelectionRange(0, text.length)
  const copied = document.execCommand('copy')
  field.remove()
  before?.focus()
  return copied
}
