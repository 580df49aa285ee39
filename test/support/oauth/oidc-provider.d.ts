/** The part of oidc-provider that the tests use. The package ships no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'
  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    on(event: 'grant.success', listen: (context: { oidc: { body?: object } }) => void): this
  }
}
