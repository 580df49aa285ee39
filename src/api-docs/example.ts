import type { Operation, Parameter, Schema } from './openapi.ts'

const formats: Record<string, string> = { email: 'anna@example.com', 'date-time': '2030-01-31T12:00:00Z' }

/** How to make a call with curl, for a shell; `$host` and `$token` are set by whoever uses it. */
export function curlExample(method: string, path: string, operation: Operation): string {
  const { parameters, requestBody, security, responses } = operation
  const url = `$host${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name}`)}${query(parameters)}`
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const body = type ? bodyOptions(type, content?.schema) : []
  const usual = body.length > 0 ? 'post' : 'get'
  const answers = Object.values(responses)[0]
  const isBytes = answers && 'content' in answers && !Object.keys(answers.content ?? {}).some((name) => /json|text/.test(name))
  const options = [
    ...(method === usual ? [] : [`-X ${method.toUpperCase()}`]),
    ...(security.length > 0 && security.some((way) => 'token' in way) ? ['-H "authorization: Bearer $token"'] : []),
    ...(security.length > 0 && !security.some((way) => 'token' in way) ? ['-b cookies'] : []),
    ...body,
    ...(isBytes && method === 'get' ? ['-OJ'] : []),
  ]
  return ['curl -sf', ...options, `"${url}"`].join(' \\\n  ')
}

function query(parameters: Parameter[]): string {
  const asked = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  return asked.length > 0 ? `?${asked.map(({ name, schema }) => `${name}=${sample(schema, name)}`).join('&')}` : ''
}

function bodyOptions(type: string, schema: Schema | undefined): string[] {
  if (type === 'application/json') return ["-H 'content-type: application/json'", `-d '${JSON.stringify(sample(schema ?? {}, ''))}'`]
  if (type === 'multipart/form-data')
    return Object.keys(schema?.properties ?? { file: {} }).includes('name')
      ? ["-F 'name=Summer'", '-F file=@photo.jpg']
      : ['-F file=@logo.png']
  return [`-H 'content-type: ${type}'`, '--data-binary @photo.jpg']
}

/** A value that a schema takes: of objects what is required, or the first field where nothing is. */
function sample(schema: Schema, name: string): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sample(schema.anyOf[0] ?? {}, name)
  const [type] = [schema.type ?? 'string'].flat()
  if (type === 'object') return sampleObject(schema)
  if (type === 'array') return [sample(schema.items ?? {}, name)]
  if (type === 'integer' || type === 'number') return typeof schema.minimum === 'number' ? schema.minimum : 1
  if (type === 'boolean') return true
  return formats[schema.format ?? ''] ?? `$${name || 'value'}`.replace('$', '')
}

function sampleObject({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const shown = Object.entries(properties).filter(([name], index) => (required.length > 0 ? required.includes(name) : index === 0))
  return Object.fromEntries(shown.map(([name, schema]) => [name, sample(schema, name)]))
}
