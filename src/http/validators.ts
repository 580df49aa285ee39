import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { emailFormat, uuidFormat } from './formats.ts'

interface ObjectSchema {
  properties?: Record<string, AnySchema>
  required?: string[]
}

/**
 * Compiles the validators of requests. Query strings and path parameters are converted to numbers
 * and booleans, bodies are not. Validation stops at the first broken rule, so that its cost is
 * bounded, and checks lengths before items and formats. The declared fields of a refused object are
 * then validated one by one, so that a form can mark every wrong field.
 */
export function validatorCompiler(): FastifySchemaCompiler<AnySchema> {
  const strict = withFormats(new Ajv({ useDefaults: true }))
  const coercing = withFormats(new Ajv({ useDefaults: true, coerceTypes: 'array' }))
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : coercing
    const validate = ajv.compile(schema)
    return (data: unknown) => {
      const issues = validate(data) ? infinite(data) : issuesOf(ajv, schema, validate, data)
      return issues.length === 0 ? true : { error: issues as never } // Fastify's type lacks Ajv's list
    }
  }
}

function withFormats(ajv: Ajv): Ajv {
  return addFormats.default(ajv).addFormat('email', emailFormat).addFormat('uuid', uuidFormat)
}

/** Returns the first issue of each declared field of `data`, nested fields included, after a refusal. */
function issuesOf(ajv: Ajv, schema: AnySchema, validate: ValidateFunction, data: unknown): ErrorObject[] {
  const first = validate.errors ?? []
  const { properties, required = [] } = schema as ObjectSchema
  if (!properties || typeof data !== 'object' || data === null || Array.isArray(data)) return first
  const issues = Object.entries(properties).flatMap(([name, rules]) => {
    const value = (data as Record<string, unknown>)[name]
    if (value === undefined) return required.includes(name) ? [missing(name)] : []
    const validateField = ajv.compile(rules) // Ajv caches validators by the schema object
    if (validateField(value)) return []
    return issuesOf(ajv, rules, validateField, value).map((issue) => ({ ...issue, instancePath: `/${name}${issue.instancePath}` }))
  })
  return issues.length > 0 ? issues : first
}

function missing(name: string): ErrorObject {
  const message = `must have required property '${name}'`
  return { keyword: 'required', instancePath: '', schemaPath: '#/required', params: { missingProperty: name }, message }
}

/** Returns issues for numbers that are too long. Ajv reads them as infinite and skips their limits. */
function infinite(data: unknown): ErrorObject[] {
  return Object.entries(data ?? {}).flatMap(([name, value]) => {
    if (value !== Number.POSITIVE_INFINITY && value !== Number.NEGATIVE_INFINITY) return []
    return [{ keyword: 'type', instancePath: `/${name}`, schemaPath: '#/type', params: {}, message: 'must be a finite number' }]
  })
}
