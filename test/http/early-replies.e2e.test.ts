import t from 'tap'
import { haproxy, nginx } from '../support/app/proxies.ts'
import { startServer } from '../support/app/server.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { member } from '../support/people/accounts.ts'

t.setTimeout(300_000) // a browser, a whole server and hundreds of MiB on a small machine
const tries = 3
const { url } = await startServer(t)
const browser = await openBrowser(t)
const direct = { name: 'no proxy', missing: undefined, start: async () => url }

/** Sends a part of 9 MiB for a missing share again and again. Returns statuses and bodies. */
const script = `(async () => {
  const path = '/api/shares/none/files/0f3a1d5e-6c0c-4a57-9d6f-3b1f8f0a7c11/parts/1'
  const body = new Uint8Array(9 * 1024 * 1024)
  const byFetch = () => fetch(path, { method: 'PUT', body }).then(async (reply) => reply.status + ' ' + await reply.text(), String)
  const byRequest = () => new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('PUT', path)
    request.onloadend = () => resolve(request.status + ' ' + request.responseText)
    request.send(body)
  })
  const all = []
  for (const send of [byFetch, byRequest]) for (let n = 0; n < ${tries}; n++) all.push(await send())
  return all
})()`

// Caddy and Traefik are left out: over HTTP/1.1 their library closes a connection half a second after
// an early reply, which a browser on a busy machine may not have read by then.
for (const proxy of [direct, nginx, haproxy]) {
  t.test(`lets a page read an early refusal by fetch and XMLHttpRequest through ${proxy.name}`, { skip: proxy.missing }, async (t) => {
    const through = await proxy.start(t, { port: Number(new URL(url).port) })
    const username = `alice_${proxy.name.replace(' ', '_')}`
    const { page } = await member(t, browser, through, username)
    await page.goto('/')
    const replies: string[] = await page.evaluate(script)
    const wrong = replies.filter((reply) => !/^404 .*"share_not_found"/.test(reply))
    t.same(wrong.slice(0, 3), [], `${replies.length - wrong.length} of ${2 * tries}`)
  })
}
