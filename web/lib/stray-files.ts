/** A file or folder of a drop or a paste. */
export type TransferredItem = FileSystemEntry | File

let acceptingPages = 0

/** Records that the shown page accepts files by itself, until the returned function is called. */
export function acceptFiles(): () => void {
  acceptingPages++
  return () => {
    acceptingPages--
  }
}

/**
 * Returns the files and folders of a drop or a paste. It must be called synchronously in the event
 * handler: the browser empties the list afterwards.
 */
export function itemsOf(transfer: DataTransfer): TransferredItem[] {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  return items.flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? [])
}

interface StrayFiles {
  /** Reports whether files are being dragged over a page that does not accept them by itself. */
  onDrag(over: boolean): void
  onFiles(items: TransferredItem[]): void
}

/**
 * Catches files that are dropped or pasted on a page that does not accept them by itself, where
 * the browser would open a dropped file and leave the site. Behind a dialog they are ignored.
 */
export function catchStrayFiles({ onDrag, onFiles }: StrayFiles, signal: AbortSignal): void {
  let depth = 0 // dragenter and dragleave are also fired for every child element
  const isCaught = () => acceptingPages === 0 && !isDialogOpen()
  const changeDepth = (step: number) => {
    depth = Math.max(0, depth + step)
    onDrag(depth > 0 && isCaught())
  }
  const listen = (type: 'dragenter' | 'dragleave' | 'dragover' | 'drop', listener: (transfer: DataTransfer) => void) => {
    const listenToFiles = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      listener(event.dataTransfer)
    }
    addEventListener(type, listenToFiles, { signal })
  }
  listen('dragenter', () => changeDepth(1))
  listen('dragleave', () => changeDepth(-1))
  listen('dragover', (transfer) => {
    if (acceptingPages === 0) transfer.dropEffect = isCaught() ? 'copy' : 'none'
  })
  listen('drop', (transfer) => {
    depth = 0
    onDrag(false)
    if (isCaught()) onFiles(itemsOf(transfer))
  })
  const paste = ({ clipboardData, target }: ClipboardEvent) => {
    const isText = clipboardData?.types.includes('text/plain') && target instanceof Element && target.matches('input, textarea')
    if (clipboardData && clipboardData.files.length > 0 && !isText && isCaught()) onFiles(itemsOf(clipboardData))
  }
  addEventListener('paste', paste, { signal })
}

/** Closed dialogs stay in the document. */
const isDialogOpen = () => [...document.querySelectorAll('[role="dialog"]')].some((dialog) => dialog.checkVisibility())
