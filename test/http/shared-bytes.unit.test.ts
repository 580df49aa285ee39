import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { sharedBytes } from '../../src/http/shared-bytes.ts'

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()))
let built = 0
const build = async () => Buffer.from(`${++built}`)

t.test('builds bytes once while a response sends them', async (t) => {
  const responses = [newResponse(), newResponse()]
  const buffers = await Promise.all(responses.map((response) => sharedBytes('one', response, build)))
  t.equal(buffers[0], buffers[1], 'both send the same buffer')
  responses[0]!.emit('close')
  t.equal(await sharedBytes('one', newResponse().destroy(), build), buffers[0])
  responses[1]!.emit('close')
  const last = newResponse()
  t.equal(String(await sharedBytes('one', last, build)), '2')
  last.emit('close')
})

t.test('builds again after a failure', async (t) => {
  const failing = async () => Promise.reject(new Error('no database'))
  await t.rejects(sharedBytes('failing', newResponse(), failing), { message: 'no database' })
  t.equal(String(await sharedBytes('failing', newResponse().destroy(), build)), '3')
})

t.test('builds two at once, and none while 128 MiB are held', async (t) => {
  const gate = Promise.withResolvers<void>()
  const responses = [newResponse(), newResponse(), newResponse()]
  let running = 0
  const large = async () => {
    running++
    await gate.promise
    return Buffer.alloc(64 * 1_048_576)
  }
  const results = responses.map((response, n) => sharedBytes(`large ${n}`, response, large))
  t.equal(running, 2)
  gate.resolve()
  const settled = await Promise.allSettled(results)
  t.match(settled[2], { status: 'rejected', reason: { code: 'unavailable', details: { retryAfter: 5 } } })
  for (const response of responses) response.emit('close')
  t.equal(String(await sharedBytes('small', newResponse().destroy(), build)), '4')
})
