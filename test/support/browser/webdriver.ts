import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Commands of WebDriver (W3C): their method and path, and their names in Marionette, the protocol
 * of Firefox that geckodriver translates to.
 */
const commands = {
  goTo: ['POST', '/url', 'Navigate'],
  reload: ['POST', '/refresh', 'Refresh'],
  run: ['POST', '/execute/sync', 'ExecuteScript'],
  click: ['POST', '/element/:id/click', 'ElementClick'],
  type: ['POST', '/element/:id/value', 'ElementSendKeys'],
  resize: ['POST', '/window/rect', 'SetWindowRect'],
  screenshot: ['GET', '/screenshot', 'TakeScreenshot'],
  close: ['DELETE', '', 'DeleteSession'],
} as const
export type Command = keyof typeof commands

/** Runs a command in a browser session. Rejects with a `WebDriverError`. */
export type Send = (command: Command, parameters?: Record<string, unknown>) => Promise<unknown>

/** A refusal of the browser; `code` is that of WebDriver, such as `stale element reference`. */
export class WebDriverError extends Error {
  readonly code: string

  constructor({ error, message }: { error: string; message: string }) {
    super(`${error}: ${message}`)
    this.code = error
  }
}

/** Starts a session of a driver that speaks HTTP, such as WebKitWebDriver. */
export async function openHttpSession(driver: string, capabilities: object): Promise<Send> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${driver}/session${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
    const { value } = (await response.json()) as { value: unknown }
    if (!response.ok) throw new WebDriverError(value as { error: string; message: string })
    return value
  }
  const { sessionId } = (await call('POST', '', { capabilities: { alwaysMatch: capabilities } })) as { sessionId: string }
  return (command, parameters = {}) => {
    const [method, path] = commands[command]
    const { id, ...body } = parameters
    return call(method, `/${sessionId}${path.replace(':id', String(id))}`, method === 'POST' ? body : undefined)
  }
}

/** Starts a session of a Firefox that listens for Marionette at a port of this machine. */
export async function openMarionetteSession(port: number): Promise<Send> {
  const marionette = new Marionette(connect(port, '127.0.0.1'))
  await marionette.send('NewSession', {})
  return (command, parameters = {}) => marionette.send(commands[command][2], parameters)
}

/** Marionette's messages are JSON after their length and a colon: `[0, id, name, parameters]`. */
class Marionette {
  readonly #socket: Socket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #received = Buffer.alloc(0)
  #id = 0

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (data) => this.#receive(data)).on('error', () => {})
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Firefox has ended'))
    })
  }

  send(command: string, parameters: object): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>()
    const message = Buffer.from(JSON.stringify([0, ++this.#id, `WebDriver:${command}`, parameters]))
    this.#waiting.set(this.#id, waiting)
    this.#socket.write(Buffer.concat([Buffer.from(`${message.length}:`), message]))
    return waiting.promise
  }

  #receive(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data])
    for (;;) {
      const start = this.#received.indexOf(':') + 1
      const end = start + Number(this.#received.subarray(0, start - 1))
      if (start === 0 || this.#received.length < end) return
      this.#handle(JSON.parse(this.#received.toString('utf8', start, end)))
      this.#received = this.#received.subarray(end)
    }
  }

  #handle(message: [1, number, { error: string; message: string } | null, { value?: unknown }] | object): void {
    if (!Array.isArray(message)) return // the greeting
    const [, id, error, result] = message
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new WebDriverError(error))
    else waiting?.resolve(result && 'value' in result ? result.value : result)
  }
}

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'
/** What elements and scripts report while the page is still changing or another one is loading. */
const passing = new Set([
  'stale element reference',
  'element click intercepted',
  'element not interactable',
  'no such element',
  'javascript error',
  'unknown error',
])
const patience = 30_000 // ms, on a busy machine

/** Control and A, by the codes that WebDriver has for keys. A second Control releases the first. */
const selectAll = '\uE009a\uE009'

/**
 * Finds the last element that an XPath selects and that is visible and enabled: the page's own rather
 * than one of its head.
 */
const finder = `
  const found = document.evaluate(arguments[0], document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
  for (let index = found.snapshotLength - 1; index >= 0; index--) {
    const element = found.snapshotItem(index)
    if (element.type === 'file' || (element.checkVisibility() && !element.disabled)) return element
  }
  return null`

/** A page that a person uses in a browser. Everything waits until it is possible. */
export class DrivenPage {
  readonly #send: Send
  readonly #site: string

  constructor(send: Send, site: string) {
    this.#send = send
    this.#site = site
  }

  async open(path: string): Promise<void> {
    await this.#send('goTo', { url: this.#site + path })
  }

  async reload(): Promise<void> {
    await this.#send('reload')
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#send('resize', { width, height })
  }

  /** Returns a PNG of the page in Base64. */
  async screenshot(): Promise<string> {
    return (await this.#send('screenshot')) as string
  }

  /** Runs a function body in the page. */
  async run<T>(script: string, ...args: unknown[]): Promise<T> {
    return (await this.#send('run', { script, args })) as T
  }

  /** Clicks a button or link with this name. */
  async click(name: string): Promise<void> {
    const q = quoted(name)
    const named = `normalize-space()=${q} or @aria-label=${q}`
    await this.#use(`//*[self::button or self::a][${named}]`, name, (id) => this.#send('click', { id }))
  }

  /** Clicks a checkbox whose label begins with a text. */
  async check(label: string): Promise<void> {
    await this.#use(`//label[starts-with(normalize-space(), ${quoted(label)})]//input`, label, (id) => this.#send('click', { id }))
  }

  /** Replaces the text of a field with this label. */
  async fill(label: string, text: string): Promise<void> {
    const q = quoted(label)
    const input = '*[self::input or self::textarea]'
    const xpath = `//${input}[@aria-label=${q}] | //${input}[@id=//label[normalize-space()=${q}]/@for] | //label[normalize-space()=${q}]//${input}`
    await this.#use(xpath, label, (id) => this.#send('type', { id, text: selectAll + text }))
  }

  /** Chooses files of this machine for the picker with this test id. */
  async choose(picker: string, paths: readonly string[]): Promise<void> {
    await this.#use(`//input[@data-testid=${quoted(picker)}]`, picker, (id) => this.#send('type', { id, text: paths.join('\n') }))
  }

  /** Waits until the page shows a text. */
  async shows(text: string): Promise<void> {
    await this.until(`shows "${text}"`, 'return document.body?.innerText.includes(arguments[0])', text)
  }

  /** Waits until a script returns something. Returns that. */
  async until<T>(what: string, script: string, ...args: unknown[]): Promise<T> {
    const deadline = Date.now() + patience
    for (;;) {
      const value = await this.run<T>(script, ...args).catch(ignorePassing)
      if (value) return value
      if (Date.now() > deadline) throw new Error(`The page never ${what}. It shows:\n${await this.run('return document.body.innerText')}`)
      await sleep(100)
    }
  }

  async #use(xpath: string, name: string, action: (id: string) => Promise<unknown>): Promise<void> {
    const deadline = Date.now() + patience
    for (;;) {
      const element = await this.until<Record<string, string>>(`has "${name}"`, finder, xpath)
      try {
        await action(element[elementKey]!)
        return
      } catch (error) {
        if (Date.now() > deadline) throw error
        ignorePassing(error)
        await sleep(100)
      }
    }
  }
}

function ignorePassing(error: unknown): undefined {
  if (!(error instanceof WebDriverError) || !passing.has(error.code)) throw error
}

/** Returns a text as XPath writes it. Our texts have apostrophes, but no double quotes. */
const quoted = (text: string) => `"${text}"`
