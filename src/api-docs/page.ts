import { readFileSync } from 'node:fs'
import { type ErrorCode, errorStatus, errorText } from '../errors.ts'
import { Html, html } from '../html.ts'
import { curlExample } from './example.ts'
import { fieldsOf, typeInto } from './fields.ts'
import { inline, prose } from './html.ts'
import type { ApiDocument, Operation, Schema } from './openapi.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const [style, script] = [read('page.css'), read('page.js')]

/** Properties of the installation for the page. */
export interface SiteInfo {
  appName: string
  /** The URL of this installation without a trailing slash. */
  baseUrl: string
  /** Its path without a trailing slash; empty at the root of a host. */
  basePath: string
  nonce: string
  colorScheme: 'light' | 'dark' | 'system'
}

interface Call {
  method: string
  path: string
  operation: Operation
}

/** Renders the API document as a page. Only search and copy buttons need its script. */
export function docsPage(document: ApiDocument, { appName, baseUrl, basePath, nonce, colorScheme }: SiteInfo): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({ method, path, operation })),
  )
  const groups = document.tags.map(({ name }) => ({ name, calls: calls.filter(({ operation }) => operation.tags[0] === name) }))
  const page = html`<!doctype html>
<html lang="en" dir="ltr" data-theme="${colorScheme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API – ${appName}</title>
<link rel="icon" href="${basePath}/favicon.svg" type="image/svg+xml">
<style nonce="${nonce}">${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#calls">Skip to the calls</a>
<header><a class="home" href="${basePath}/"><img src="${basePath}/favicon.svg" alt="" width="28" height="28">${appName}</a><span class="what">API</span>
<a class="raw" href="${basePath}/api/openapi.json">OpenAPI<span class="wide"> document</span></a></header>
<div class="frame">
<nav aria-label="Groups of calls">${groups.map(({ name, calls }) => html`<a href="#${name}">${name}<span>${calls.length}</span></a>`)}</nav>
<main>
<h1>${appName} API</h1>
<p class="version">Version ${document.info.version}</p>
${prose(document.info.description)}
<pre><code>host=${baseUrl}
token=rzb_…
curl -F file=@photo.jpg -H "authorization: Bearer $token" -H 'accept: text/plain' $host/api/upload</code></pre>
<div id="calls" tabindex="-1"><label class="search"><span class="hidden">Search the calls</span>
<input type="search" id="search" placeholder="Search: path, word, field" autocomplete="off" spellcheck="false"></label>
<p id="found" role="status" hidden></p>
${groups.map(({ name, calls }) => html`<section id="${name}"><h2>${name}</h2>${calls.map(call)}</section>`)}
</div>
${errorCodes()}
</main>
</div>
<script nonce="${nonce}">${new Html(script)}</script>
</body>
</html>`
  return page.text
}

function call({ method, path, operation }: Call): Html {
  const { summary, parameters, requestBody, responses, operationId } = operation
  return html`<details class="call" id="${operationId}">
<summary><span class="method ${method}">${method}</span> <span class="path">${path}</span> <span class="summary">${inline(summary)}</span></summary>
<div class="body"><p class="who">${accessText(operation)}</p>
${parameters.length > 0 && html`<h3>Parameters</h3>${rows(parameters.map((parameter) => ({ ...parameter, type: typeInto(parameter.schema) })))}`}
${Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => html`<h3>Body <code>${type}</code></h3>${content(schema, 'The bytes.')}`)}
${Object.entries(responses).map(([status, response]) => 'content' in response && html`<h3>Response ${status}</h3>${Object.entries(response.content ?? {}).map(([type, { schema }]) => content(schema, type))}`)}
<h3>With curl</h3><div class="example"><pre><code>${curlExample(method, path, operation)}</code></pre><button type="button" class="copy" hidden>Copy</button></div>
</div></details>`
}

function accessText({ security }: Operation): string {
  const scopes = security.flatMap((scheme) => scheme.token ?? [])
  const token = scopes.length > 0 ? `an API token with ${scopes.join(', ')}` : 'no API token'
  if (security.length === 0) return 'Public.'
  return security.some((scheme) => Object.keys(scheme).length === 0) ? `Visitors, users, or ${token}.` : `Signed-in users, or ${token}.`
}

interface Row {
  name: string
  type: string
  required: boolean
  description?: string | undefined
}

function content(schema: Schema | undefined, fallback: string): Html {
  const fields = schema ? fieldsOf(schema) : []
  return fields.length > 0 ? rows(fields) : html`<p class="soft">${schema ? typeInto(schema) : fallback}</p>`
}

function rows(list: Row[]): Html {
  return html`<dl>${list.map(
    ({ name, type, required, description }) =>
      html`<div><dt><code>${name}</code></dt><dd><span class="type">${type}${!required && ', optional'}</span>${description && html` ${inline(description)}`}</dd></div>`,
  )}</dl>`
}

function errorCodes(): Html {
  const codes = Object.entries(errorStatus).map(([name, status]) => ({
    name,
    type: String(status),
    required: true,
    description: errorText(name as ErrorCode),
  }))
  return html`<section id="errors"><h2>Error codes</h2>${rows(codes)}</section>`
}
