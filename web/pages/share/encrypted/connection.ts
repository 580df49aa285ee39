import type { DecryptedShare, FromServiceWorker, ToServiceWorker } from '../../../decryption/share.ts'
import { address } from '../../../lib/address.ts'

/** How long the service worker may take to be installed, in milliseconds. */
const patience = 10_000
/** Browsers stop a service worker that receives nothing for 30 s, also during a download. */
const awakeEvery = 20_000 // ms

const shares = new Map<string, DecryptedShare>()
let isListening = false

/**
 * Hands a share to the service worker, which decrypts its files from then on. Returns whether there
 * is a service worker that does; `onLate` is called if there is one only later.
 */
export async function connect(share: DecryptedShare, onLate: () => void): Promise<boolean> {
  shares.set(share.id, share)
  if (!('serviceWorker' in navigator)) return false
  listen()
  let isLate = false
  const timeout = new Promise<false>((resolve) => {
    setTimeout(() => {
      isLate = true
      resolve(false)
    }, patience)
  })
  const installed = install(share).catch((error) => {
    console.info('service worker does not decrypt', error)
    return false
  })
  void installed.then((works) => works && isLate && onLate())
  return Promise.race([installed, timeout])
}

/** Adds a zip with some of a share's files. Returns its number in the address. */
export async function addSelection(id: string, files: readonly string[]): Promise<number> {
  const share = shares.get(id)
  if (!share) throw new Error('The share was not decrypted')
  const changed = { ...share, selections: [...share.selections, files] }
  shares.set(id, changed)
  const { controller } = navigator.serviceWorker ?? {}
  if (controller) await hand(controller, changed)
  return share.selections.length
}

/** Returns a share that this page has decrypted. */
export const decryptedShare = (id: string): DecryptedShare | null => shares.get(id) ?? null

async function install(share: DecryptedShare): Promise<boolean> {
  await navigator.serviceWorker.register(address('/service-worker.js'))
  const { active } = await navigator.serviceWorker.ready
  if (!active) return false
  await hand(active, share)
  while (!navigator.serviceWorker.controller) await nextController()
  return true
}

/** Sends a share to the service worker. Resolves once that has stored it. */
function hand(worker: ServiceWorker, share: DecryptedShare): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => resolve()
    const message: ToServiceWorker = { kind: 'share', share }
    worker.postMessage(message, [port2])
  })
}

function nextController(): Promise<unknown> {
  return new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }))
}

function listen(): void {
  if (isListening) return
  isListening = true
  navigator.serviceWorker.addEventListener('message', ({ data, ports }: MessageEvent<FromServiceWorker>) => {
    if (data.kind === 'share wanted') ports[0]?.postMessage(shares.get(data.id) ?? null)
  })
  navigator.serviceWorker.startMessages()
  const awake: ToServiceWorker = { kind: 'awake' }
  setInterval(() => navigator.serviceWorker.controller?.postMessage(awake), awakeEvery)
}
