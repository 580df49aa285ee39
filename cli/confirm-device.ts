import { Prompt } from './ask.ts'
import { Failure } from './failure.ts'
import type { Server } from './server.ts'

/**
 * Has a code emailed to the recipient of a link, asks for it on the terminal, and returns the token
 * that proves it.
 * @throws Failure `email_code_required`: there is no terminal; and the errors of the server
 */
export async function confirmDevice(server: Server, id: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Failure(
      'refused',
      'email_code_required',
      'This link opens only with a code that is sent by email. Run the command in a terminal to enter it.',
    )
  const isNew = await requestCode(server, id)
  const question = isNew ? 'Code that was emailed to you: ' : 'Code that was emailed to you a short while ago: '
  const prompt = new Prompt()
  try {
    return await askFor(question, server, id, prompt)
  } finally {
    prompt.close()
  }
}

/** Requests a code. Returns false if the server refuses because it has sent codes recently. */
async function requestCode(server: Server, id: string): Promise<boolean> {
  try {
    await server.call('POST /api/shares/:id/code', { params: { id } })
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'too_many_requests') return false
    throw error
  }
}

async function askFor(question: string, server: Server, id: string, prompt: Prompt): Promise<string> {
  for (;;) {
    const code = await prompt.ask(question)
    if (!/^(\d\s*){6}$/.test(code)) {
      process.stderr.write('A code has six digits.\n')
      continue
    }
    try {
      return (await server.call('POST /api/shares/:id/code/verify', { params: { id }, body: { code } })).token
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'wrong_code' || error.details.triesLeft === 0) throw error
      process.stderr.write(`${error.message}\n`)
    }
  }
}
