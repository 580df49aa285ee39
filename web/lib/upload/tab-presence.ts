interface Message {
  /** ID of the share that a tab asks about. */
  ask?: string
  /** ID of the share that a tab is uploading into. */
  here?: string
}

const channelName = 'uploads'
const replyTimeout = 300 // ms

/**
 * Replies to other tabs that this one is uploading into the share, until the returned function is
 * called.
 */
export function holdUpload(shareId: string): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.ask === shareId) channel.postMessage({ here: shareId })
  }
  return () => channel.close()
}

/** Returns whether another tab replies within 300 ms that it is uploading into the share. */
export async function isHeldElsewhere(shareId: string): Promise<boolean> {
  const channel = new BroadcastChannel(channelName)
  const held = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), replyTimeout)
    channel.onmessage = ({ data }: MessageEvent<Message>) => data.here === shareId && resolve(true)
  })
  channel.postMessage({ ask: shareId })
  return held.finally(() => channel.close())
}
