import type { ServerResponse } from 'node:http'
import type { Context } from '../../context.ts'
import type { ShareAccess } from '../queries.ts'
import { closedLinks } from './queries.ts'

const interval = 5_000 // ms between two looks at the links of running downloads

interface Running {
  access: ShareAccess
  response: ServerResponse
  /** When its link was found to be closed, in ms since 1970. */
  closedAt?: number
}

/** The downloads that this process sends now. */
export interface RunningDownloads {
  /** Adds a download until its response closes. */
  add(access: ShareAccess, response: ServerResponse): void
  close(): void
}

/**
 * Tracks running downloads. Those whose link is turned off, replaced or deleted, or whose share is
 * removed, may continue for the drain time, like those of a server that shuts down. Then their
 * connections are closed.
 */
export function trackDownloads({ db, env, log }: Pick<Context, 'db' | 'env' | 'log'>): RunningDownloads {
  const all = new Set<Running>()
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const links = new Map([...all].map(({ access: { uid, linkUid, linkId } }) => [`${linkUid} ${linkId}`, { uid, linkUid, linkId }]))
    const closed = new Set(await closedLinks(db, [...links.values()]))
    for (const running of all) {
      if (!closed.has(running.access.linkId)) {
        delete running.closedAt
        continue
      }
      running.closedAt ??= Date.now()
      if (Date.now() - running.closedAt >= env.drainSeconds * 1000) running.response.destroy()
    }
  }

  function schedule(): void {
    timer ??= setTimeout(async () => {
      await look().catch((err) => log.warn({ err }, 'links of running downloads not checked'))
      timer = undefined
      if (all.size > 0) schedule()
    }, interval).unref()
  }

  return {
    add(access, response) {
      const running = { access, response }
      all.add(running)
      response.once('close', () => all.delete(running))
      schedule()
    },
    close: () => clearTimeout(timer),
  }
}
