import { readFileSync } from 'node:fs'
import { formatByteSize } from './byte-sizes.ts'

/**
 * The status code of each error, with the names of its details. The texts are `error.<code>` in
 * `locales`, and the English one is the message of the API.
 */
export const errorStatus = {
  validation_failed: 400,
  malformed_request: 400,
  username_taken: 400,
  email_taken: 400,
  password_too_common: 400, // field
  share_id_taken: 400,
  share_id_invalid: 400,
  expiration_invalid: 400,
  expiration_exceeds_maximum: 400, // max: ISO date
  too_many_links: 400, // max
  first_link_kept: 400,
  recipients_disabled: 400,
  too_many_recipients: 400, // max
  recipient_has_link: 400,
  recipient_not_failed: 400,
  reverse_share_token_taken: 400,
  reverse_share_size_exceeds_maximum: 400, // max: bytes
  share_not_being_edited: 400,
  share_already_completed: 400,
  share_not_completed: 400,
  share_has_no_files: 400,
  share_not_encrypted: 400,
  document_missing: 400,
  upload_incomplete: 400, // missing: part numbers; or files: ids
  wrong_part_size: 400, // expected: bytes
  unexpected_chunk_index: 400, // expectedChunkIndex
  wrong_chunk_size: 400, // expected: bytes
  upload_field_after_file: 400, // field
  part_out_of_range: 400, // partCount
  digest_mismatch: 400,
  digest_unsupported: 400,
  file_name_invalid: 400, // rule
  file_already_complete: 400,
  file_type_not_allowed: 400, // allowed: extensions and media types
  config_invalid: 400, // key, reason and its parameters: see config/contract.ts
  logo_not_png: 400,
  logo_not_square: 400,
  logo_too_large: 400, // maxPixels per side, maxBytes
  smtp_failed: 400, // reason: from the mail server
  last_admin: 400,
  totp_already_enabled: 400,
  totp_not_in_progress: 400,
  totp_not_enabled: 400,
  invalid_totp: 400,
  invalid_token: 400,
  passkey_invalid: 400,
  passkey_taken: 400,
  passkeys_unavailable: 400,
  too_many_passkeys: 400, // max
  too_many_api_tokens: 400, // max
  not_linked: 400,
  last_way_in: 400,
  provider_failed: 400, // reason: from the provider
  unauthorized: 401,
  wrong_credentials: 401,
  invalid_login_token: 401,
  token_expired: 401,
  passkey_rejected: 401,
  session_ended: 401,
  forbidden: 403,
  confirmation_required: 403, // hasPassword
  cross_site_request: 403,
  second_factor_required: 403,
  email_not_verified: 403,
  smtp_disabled: 403,
  setup_code_required: 403, // field
  wrong_setup_code: 403, // field
  setup_finished: 403,
  password_sign_in_disabled: 403,
  provider_disabled: 403, // provider: its name
  registration_disabled: 403,
  unauthenticated_shares_disabled: 403,
  encryption_required: 403,
  encryption_disabled: 403,
  anonymous_share_not_deletable: 403,
  share_password_required: 403,
  private_share: 403,
  reverse_share_password_required: 403,
  share_token_required: 403,
  email_code_required: 403,
  wrong_code: 403, // triesLeft
  wrong_password: 403,
  share_max_views_exceeded: 403,
  share_max_downloads_exceeded: 403,
  not_found: 404,
  share_not_found: 404,
  share_removed: 404,
  link_turned_off: 404,
  link_not_found: 404,
  reverse_share_not_found: 404,
  recipient_not_found: 404,
  file_not_found: 404,
  document_not_found: 404,
  user_not_found: 404,
  job_not_found: 404,
  config_not_found: 404, // key
  method_not_allowed: 405, // allow: the supported methods
  request_timeout: 408,
  zip_not_ready: 409, // progress 0 to 1
  zip_failed: 409,
  download_in_progress: 409, // retryAfter: seconds
  selection_changed: 409,
  direct_uploads_off: 409,
  upload_in_progress: 409,
  share_encrypted: 409,
  document_outdated: 409, // revision: of the last document
  selection_expired: 410,
  code_expired: 410,
  length_required: 411,
  precondition_failed: 412,
  share_too_large: 413, // max: bytes
  too_many_files: 413, // limit
  document_too_large: 413, // max: bytes
  selection_too_large: 413,
  storage_quota_exceeded: 413, // max: bytes
  reverse_share_full: 413, // max: bytes
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  too_many_requests: 429, // retryAfter: seconds
  too_many_open_uploads: 429, // limit, retryAfter: seconds
  too_many_emails: 429, // retryAfter: seconds
  headers_too_large: 431,
  internal: 500,
  file_damaged: 500,
  provider_misconfigured: 502, // provider: its name
  provider_unavailable: 502, // provider: its name
  unavailable: 503,
  insufficient_storage: 507,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof errorStatus
type ErrorDetails = Record<string, unknown>

/**
 * An error that is reported to the client. Any other error is logged and reported as `internal`.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(typeof details.message === 'string' ? details.message : errorText(code, details), options)
    this.code = code
    this.details = details
  }

  get statusCode(): number {
    return errorStatus[this.code]
  }
}

/**
 * Razorbill can't start for a reason that the operator can fix. The message says how, so it is
 * shown without a stack.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}

const texts = JSON.parse(readFileSync(new URL('../locales/en-US.json', import.meta.url), 'utf8')) as Record<string, string>

/** Errors whose `max` is in bytes. */
const maxInBytes = new Set<ErrorCode>([
  'reverse_share_full',
  'reverse_share_size_exceeds_maximum',
  'share_too_large',
  'storage_quota_exceeded',
  'document_too_large',
])

/** Returns the English text of an error. Placeholders without a value remain. */
export function errorText(code: ErrorCode, details: ErrorDetails = {}): string {
  const text = texts[`error.${code}`] ?? code
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = details[name]
    if (value === undefined) return placeholder
    if (name === 'max' && maxInBytes.has(code)) return formatByteSize(Number(value), 'en-US')
    return Array.isArray(value) ? value.join(', ') : String(value)
  })
}
