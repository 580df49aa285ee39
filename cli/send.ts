import type { NewUpload, Problem, UploadSnapshot, UploadState } from '../uploader/types.ts'
import { Uploader } from '../uploader/uploader.ts'
import { Failure } from './failure.ts'
import { onInterrupt } from './interrupt.ts'
import { joinSlices } from './join-slices.ts'
import type { Output } from './output.ts'
import { Progress } from './progress.ts'
import { sendDocument } from './send-document.ts'
import type { Server } from './server.ts'
import { plural } from './texts.ts'
import { forget, saveUnfinished, type UploadShare } from './unfinished.ts'
import { shareKeyFor } from './upload-encryption.ts'
import { uploadTransport } from './upload-transport.ts'

const ended = new Set<UploadState>(['completed', 'stopped', 'incomplete', 'cancelled'])
/** Errors that would happen again with the same files. */
const permanent = new Set(['share_too_large', 'share_not_found', 'share_removed', 'unauthenticated_shares_disabled'])

/**
 * Uploads files to a share and completes it. `leave` are files of an earlier run that are removed.
 * @throws Failure
 */
export async function send(server: Server, share: UploadShare, files: readonly NewUpload[], leave: ReadonlySet<NewUpload>, output: Output) {
  const journal = saveUnfinished(share, files)
  const transport = uploadTransport(server)
  const key = await shareKeyFor(share)
  const uploader = new Uploader({
    ...{ shareId: share.id, transport, renewSession: async () => false, journal, packs: joinSlices },
    ...(key && { beforeCompleting: (sources, signal) => sendDocument(server, share, key, { sources, signal }) }),
  })
  uploader.add(files)
  files.forEach((file, key) => {
    if (leave.has(file)) uploader.remove(key)
  })
  const { state, problem, files: views } = await run(uploader, output)
  if (state === 'completed') return forget({ share })
  if (problem && permanent.has(problem.code)) {
    await uploader.cancel()
    forget({ share })
    throw stopped(problem, 'Nothing was kept.')
  }
  uploader.close()
  const failed = views.find(({ status }) => status === 'failed')
  const again = 'Continue with: razorbill resume'
  if (!failed) throw stopped(problem ?? { code: 'internal', details: {} }, again)
  throw stopped(failed.problem ?? { code: 'internal', details: {} }, `(${failed.name}) ${again}`)
}

/** Runs until the upload ends or Ctrl-C interrupts it. */
async function run(uploader: Uploader, output: Output): Promise<UploadSnapshot> {
  const progress = new Progress(output)
  const interrupt = onInterrupt()
  const unsubscribe = uploader.subscribe(() => progress.show(() => progressOf(uploader.getSnapshot())))
  try {
    const end = new Promise<UploadSnapshot>((resolve) => {
      uploader.on('state', (state) => ended.has(state) && resolve(uploader.getSnapshot()))
    })
    uploader.start()
    return await Promise.race([end, interrupt.happens])
  } catch (error) {
    uploader.close()
    throw error
  } finally {
    unsubscribe()
    interrupt.forget()
    progress.clear()
  }
}

function progressOf({ sentBytes, totalBytes, speed, timeLeft, connection, doneFiles, files, state }: UploadSnapshot) {
  const waits = { ok: '', lost: 'waiting for the connection', busy: 'waiting for the server' }[connection]
  const more = waits || (state === 'finishing' ? 'finishing' : files.length > 1 ? `${doneFiles} of ${plural(files.length, 'file')}` : '')
  return { done: sentBytes, total: totalBytes, speed, timeLeft, more }
}

const texts: Record<string, string> = {
  session_ended: 'The API token is no longer accepted. Run: razorbill login',
  file_unreadable: 'The file cannot be read, or has changed since the upload began.',
  network: 'The connection keeps failing.',
  share_too_large: 'The files exceed the size limit of a share.',
  insufficient_storage: 'There is not enough space on the server.',
  file_name_invalid: 'The server does not accept this file name.',
  unexpected_answer: 'The server does not respond as Razorbill does.',
  proxy_error: 'A server between this machine and the site responded with an error.',
  proxy_refusal: 'A proxy or firewall in front of the server refuses the upload.',
  proxy_timeout: 'A proxy in front of the server stopped waiting. Its time limit may be too short for this connection.',
  share_not_found: 'The share has expired or was deleted.',
  document_too_large: 'The share has too many files for an encrypted one, or their names are too long.',
}

function stopped({ code, details }: Problem, advice: string): Failure {
  const ending = code === 'session_ended' ? 'signedOut' : code === 'share_not_found' ? 'notFound' : 'failure'
  return new Failure(ending, code, `${texts[code] ?? `The upload failed: ${code}.`} ${advice}`, details)
}
