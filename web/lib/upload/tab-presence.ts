interface Message {
  ask?: string
  here?: string
}

const channelName = 'uploads'
const providerTimeout = 300 // ms

/** Tells other tabs that this one is filling the share. Ends with the returned function. */
export function holdUpload(shareId: string): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.ask === shareId) channel.postMessage({ here: shareId })
  }
  return () => channel.close()
}

/** Whether another tab is filling the share. */
export async function isHeldElsewhere(shareId: string): Promise<boolean> {
  const channel = new BroadcastChannel(channelName)
  const held = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), providerTimeout)
    channel.onmessage = ({ data }: MessageEvent<Message>) => data.here === shareId && resolve(true)
  })
  channel.postMessage({ ask: shareId })
  return held.finally(() => channel.close())
}
