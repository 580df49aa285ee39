import type { Schema } from './openapi.ts'

interface Field {
  name: string
  type: string
  required: boolean
  description?: string | undefined
}

const maxDepth = 3

/** Returns the fields of an object, an array of objects or a union, with nested fields by path. */
export function fieldsOf(schema: Schema, prefix = '', depth = 1): Field[] {
  const object = objectIn(schema)
  if (!object) return []
  return Object.entries(object.properties ?? {}).flatMap(([key, inner]) => {
    const name = `${prefix}${key}`
    const field = { name, type: typeInto(inner), required: object.required?.includes(key) ?? false, description: inner.description }
    const suffix = inner.type === 'array' ? '[].' : '.'
    return depth < maxDepth ? [field, ...fieldsOf(inner, `${name}${suffix}`, depth + 1)] : [field]
  })
}

function objectIn(schema: Schema): Schema | undefined {
  if (schema.properties) return schema
  if (schema.items) return objectIn(schema.items)
  const objects = (schema.anyOf ?? []).map(objectIn).filter((candidate) => candidate !== undefined)
  if (objects.length < 2) return objects[0]
  const required = objects.map((object) => object.required ?? []).reduce((common, names) => common.filter((name) => names.includes(name)))
  return { properties: Object.assign({}, ...objects.map(({ properties }) => properties)), required }
}

/** Describes a type briefly, with its limits. */
export function typeInto(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `“${value}”`).join(' or ')
  if (schema.const !== undefined) return `“${schema.const}”`
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeInto))].join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? typeInto(schema.items) : 'values'}`
  const type = [schema.type ?? 'any']
    .flat()
    .map((name) => (name === 'string' ? (schema.format ?? 'text') : name))
    .join(' or ')
  const limits = [limit(schema.minLength ?? schema.minimum, 'from'), limit(schema.maxLength ?? schema.maximum, 'to')].filter(Boolean)
  return [type, ...limits].join(' ')
}

function limit(value: unknown, word: string): string | false {
  return typeof value === 'number' && Math.abs(value) < 1e15 && `${word} ${value.toLocaleString('en-US')}`
}
