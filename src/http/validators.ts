import compilerFactory from '@fastify/fast-json-stringify-compiler'
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { emailFormat, uuidFormat } from './formats.ts'

interface ObjectSchema {
  properties?: Record<string, AnySchema>
  required?: string[]
}

/** The keywords of a text's schema, which include some of our own. */
interface TextSchema {
  format?: string
  items?: TextSchema
  /** Spaces around the text are removed, as around every email address. */
  'x-trim'?: boolean
  /** The rule of `pattern` in words. */
  'x-rule'?: string
}

/**
 * Compiles the validators of requests. Query strings and path parameters are converted to numbers
 * and booleans, bodies are not. Validation stops at the first broken rule, so that its cost is
 * bounded, and checks lengths before items and formats. The declared fields of a refused object are
 * then validated one by one, so that a form can mark every wrong field. A validator is compiled at
 * its first use, because compiling all of them would take half of the start time.
 */
export function validatorCompiler(): FastifySchemaCompiler<AnySchema> {
  const strict = withFormats(new Ajv({ useDefaults: true, verbose: true }))
  const coercing = withFormats(new Ajv({ useDefaults: true, coerceTypes: 'array', verbose: true }))
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : coercing
    const trimmed = trimmedFields(schema)
    let validate: ValidateFunction | undefined
    return (data: unknown) => {
      validate ??= ajv.compile(schema)
      if (trimmed.length > 0) trimTexts(trimmed, data)
      const issues = validate(data) ? infinite(data) : issuesOf(ajv, schema, validate, data).map(inWords)
      return issues.length === 0 ? true : { error: issues as never } // Fastify's type lacks Ajv's list
    }
  }
}

/** Builds Fastify's compiler of responses, so that it compiles each one at its first use. */
export const buildSerializer: ReturnType<typeof compilerFactory> = (...options) => {
  const compile = compilerFactory()(...options)
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (value) => {
      serialize ??= compile(route)
      return serialize(value)
    }
  }
}

function withFormats(ajv: Ajv): Ajv {
  ajv.addVocabulary(['x-trim', 'x-rule'])
  return addFormats.default(ajv).addFormat('email', emailFormat).addFormat('uuid', uuidFormat)
}

/** Returns the names of the fields that contain texts, or lists of texts, to be trimmed. */
function trimmedFields(schema: AnySchema): string[] {
  const { properties = {} } = schema as ObjectSchema
  const fields = Object.entries(properties) as [string, TextSchema][]
  return fields.filter(([, rules]) => isTrimmed(rules) || (rules.items && isTrimmed(rules.items))).map(([name]) => name)
}

/** Removes spaces around the texts in some fields of an object. */
function trimTexts(names: string[], data: unknown): void {
  if (typeof data !== 'object' || data === null) return
  const fields = data as Record<string, unknown>
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (typeof value === 'string') fields[name] = value.trim()
    if (Array.isArray(value)) fields[name] = value.map((item) => (typeof item === 'string' ? item.trim() : item))
  }
}

function isTrimmed(rules: TextSchema): boolean {
  return rules.format === 'email' || rules['x-trim'] === true
}

/** Returns an issue whose message describes the rule in words, not as an expression. */
function inWords(issue: ErrorObject): ErrorObject {
  const words =
    issue.keyword === 'format' && issue.params.format === 'email' ? 'must be an email address such as ann@example.com' : undefined
  const rule = issue.keyword === 'pattern' ? (issue.parentSchema as TextSchema)['x-rule'] : words
  return rule === undefined ? issue : { ...issue, message: rule }
}

/**
 * Returns the first issue of each declared field of `data`, nested fields included, after a
 * refusal.
 */
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

/**
 * Returns issues for numbers that are too long. Ajv reads them as infinite and skips their limits.
 */
function infinite(data: unknown): ErrorObject[] {
  const issues: ErrorObject[] = []
  for (const [name, value] of Object.entries(data ?? {})) {
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
      issues.push({ keyword: 'type', instancePath: `/${name}`, schemaPath: '#/type', params: {}, message: 'must be a finite number' })
  }
  return issues
}
