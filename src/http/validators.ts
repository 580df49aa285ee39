import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { emailFormat, uuidFormat } from './formats.ts'

interface ObjectSchema {
  properties?: Record<string, AnySchema>
  required?: string[]
}

/**
 * Compiles the validators of requests. A body must have the right types; numbers and booleans of query strings and path parameters are read
 * from text. Validation stops at the first broken rule, so that its cost has a bound, and bounds of length come before items and formats.
 * Of a refused object each declared field is then validated by itself, so that a form can mark every wrong field: one issue a field.
 */
export function validatorCompiler(): FastifySchemaCompiler<AnySchema> {
  const strict = withFormats(new Ajv({ useDefaults: true }))
  const coercing = withFormats(new Ajv({ useDefaults: true, coerceTypes: 'array' }))
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : coercing
    const validate = ajv.compile(schema)
    return (data: unknown) => {
      const issues = validate(data) ? infinite(data) : issuesOf(ajv, schema, validate, data)
      return issues.length === 0 ? true : { error: issues as never }
    }
  }
}

function withFormats(ajv: Ajv): Ajv {
  return addFormats.default(ajv).addFormat('email', emailFormat).addFormat('uuid', uuidFormat)
}

/** The first issue of each declared field of `data`, which `validate` has refused; fields of nested objects count one by one. */
function issuesOf(ajv: Ajv, schema: AnySchema, validate: ValidateFunction, data: unknown): ErrorObject[] {
  const first = validate.errors ?? []
  const { properties, required = [] } = schema as ObjectSchema
  if (!properties || typeof data !== 'object' || data === null || Array.isArray(data)) return first
  const found = Object.entries(properties).flatMap(([name, rules]) => {
    const value = (data as Record<string, unknown>)[name]
    if (value === undefined) return required.includes(name) ? [missing(name)] : []
    const ofField = ajv.compile(rules) // Ajv keeps what it has compiled by the schema's object
    if (ofField(value)) return []
    return issuesOf(ajv, rules, ofField, value).map((issue) => ({ ...issue, instancePath: `/${name}${issue.instancePath}` }))
  })
  return found.length > 0 ? found : first
}

function missing(name: string): ErrorObject {
  const message = `must have required property '${name}'`
  return { keyword: 'required', instancePath: '', schemaPath: '#/required', params: { missingProperty: name }, message }
}

/** Issues for the fields whose text is a number too long to be one: Ajv reads it as infinite and checks no bound of it. */
function infinite(data: unknown): ErrorObject[] {
  return Object.entries(data ?? {}).flatMap(([name, value]) => {
    if (value !== Number.POSITIVE_INFINITY && value !== Number.NEGATIVE_INFINITY) return []
    return [{ keyword: 'type', instancePath: `/${name}`, schemaPath: '#/type', params: {}, message: 'must be a finite number' }]
  })
}
