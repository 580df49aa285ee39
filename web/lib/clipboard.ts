/** Copies a text; false when the browser refuses. Works over plain http too, where there is no Clipboard API. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // no permission: the old way may have it
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
  const dialog = before?.closest('[role=dialog]') ?? document.body // a dialog keeps the focus inside
  dialog.append(field)
  field.select()
  field.setSelectionRange(0, text.length)
  const copied = document.execCommand('copy')
  field.remove()
  before?.focus()
  return copied
}
