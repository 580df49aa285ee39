import type { Operation, Parameter, Schema } from './openapi.ts'

const formats: Record<string, string> = { email: 'anna@example.com', 'date-time': '2030-01-31T12:00:00Z' }

/** Returns a curl command for a call. The reader sets `$host` and `$token` in the shell. */
export function curlExample(method: string, path: string, operation: Operation): string {
  const { parameters, requestBody, security, responses } = operation
  const url = `$host${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name}`)}${query(parameters)}`
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const body = type ? bodyOptions(type, content?.schema) : []
  const defaultMethod = body.length > 0 ? 'post' : 'get'
  const response = Object.values(responses)[0]
  const isBytes = response && 'content' in response && !Object.keys(response.content ?? {}).some((name) => /json|text/.test(name))
  const options = [
    ...(method === defaultMethod ? [] : [`-X ${method.toUpperCase()}`]),
    ...(security.length > 0 && security.some((scheme) => 'token' in scheme) ? ['-H "authorization: Bearer $token"'] : []),
    ...(security.length > 0 && !security.some((scheme) => 'token' in scheme) ? ['-b cookies'] : []),
    ...body,
    ...(isBytes && method === 'get' ? ['-OJ'] : []),
  ]
  return ['curl -sf', ...options, `"${url}"`].join(' \\\n  ')
}

function query(parameters: Parameter[]): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  return required.length > 0 ? `?${required.map(({ name, schema }) => `${name}=${sample(schema, name)}`).join('&')}` : ''
}

function bodyOptions(type: string, schema: Schema | undefined): string[] {
  if (type === 'application/json') return ["-H 'content-type: application/json'", `-d '${JSON.stringify(sample(schema ?? {}, ''))}'`]
  if (type === 'multipart/form-data')
    return Object.keys(schema?.properties ?? { file: {} }).includes('name')
      ? ["-F 'name=Summer'", '-F file=@photo.jpg']
      : ['-F file=@logo.png']
  return [`-H 'content-type: ${type}'`, '--data-binary @photo.jpg']
}

/**
 * Returns a valid value. Objects have their required fields, or the first field if none is
 * required.
 */
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
