/** A file or folder of a drop or a paste. */
export type TransferredItem = FileSystemEntry | File

interface FileListener {
  /** Whether files are accepted now. */
  accepts(): boolean
  /** Reports whether files that are accepted are being dragged over the page. */
  onDrag(over: boolean): void
  onFiles(items: TransferredItem[]): void
}

/** One listens on all pages. The others are those of the shown page, which accepts files by itself. */
const listeners = new Set<FileListener>()

/**
 * Listens for files that are dropped or pasted, until the signal is aborted. The browser never opens
 * a dropped file, which would leave the site. Behind a dialog files are ignored.
 */
export function listenForFiles(listener: FileListener, signal: AbortSignal): void {
  listeners.add(listener)
  signal.addEventListener('abort', () => listeners.delete(listener))
  const { onDrag, onFiles } = listener
  let depth = 0 // dragenter and dragleave are also fired for every child element
  const changeDepth = (step: number) => {
    depth = Math.max(0, depth + step)
    onDrag(depth > 0 && isAccepting(listener))
  }
  const listen = (type: 'dragenter' | 'dragleave' | 'dragover' | 'drop', handle: (transfer: DataTransfer) => void) => {
    const handleFiles = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      handle(event.dataTransfer)
    }
    addEventListener(type, handleFiles, { signal })
  }
  listen('dragenter', () => changeDepth(1))
  listen('dragleave', () => changeDepth(-1))
  listen('dragover', (transfer) => {
    transfer.dropEffect = [...listeners].some(isAccepting) ? 'copy' : 'none' // the same for all
  })
  listen('drop', (transfer) => {
    depth = 0
    onDrag(false)
    if (isAccepting(listener)) onFiles(itemsOf(transfer))
  })
  const paste = ({ clipboardData, target }: ClipboardEvent) => {
    const isText = clipboardData?.types.includes('text/plain') && target instanceof Element && target.matches('input, textarea')
    if (clipboardData && clipboardData.files.length > 0 && !isText && isAccepting(listener)) onFiles(itemsOf(clipboardData))
  }
  addEventListener('paste', paste, { signal })
}

/** Listens for files on pages that do not accept them by themselves. */
export function catchStrayFiles(events: Omit<FileListener, 'accepts'>, signal: AbortSignal): void {
  listenForFiles({ accepts: () => listeners.size === 1, ...events }, signal)
}

const isAccepting = ({ accepts }: FileListener) => accepts() && !isDialogOpen()

/** Closed dialogs stay in the document. */
const isDialogOpen = () => [...document.querySelectorAll('[role="dialog"], dialog[open]')].some((dialog) => dialog.checkVisibility())

/** The browser empties the list after the event. */
function itemsOf(transfer: DataTransfer): TransferredItem[] {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  return items.flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? [])
}
