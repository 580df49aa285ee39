/** Every error a client can get, with its status and its English sentence. The SPA shows `error.<code>` from `locales`; a test checks that each has one. */
export const errors = {
  validation_failed: [400, 'Some fields are not valid.'],
  malformed_request: [400, 'This is no HTTP request.'],
  username_taken: [400, 'A user with this username already exists.'],
  email_taken: [400, 'A user with this e-mail address already exists.'],
  password_too_common: [
    400,
    'This password is too easy to guess. Choose one that is not a common password and is not made of your name, your email address or the name of this site.',
  ], // field
  share_id_taken: [400, 'This link is already in use.'],
  share_id_invalid: [400, 'A link has 3 to 50 letters, digits, hyphens and underscores, and is no word that the application uses itself.'],
  expiration_invalid: [400, 'The expiration is "never" or a number and a unit, such as 7-days.'],
  expiration_exceeds_maximum: [400, 'The expiration exceeds the maximum.'], // max: ISO date
  recipients_disabled: [400, 'E-mail recipients are switched off.'],
  too_many_recipients: [400, 'The share has as many recipients as it may have.'], // max
  recipient_not_failed: [400, 'The e-mail to this recipient has not failed.'],
  reverse_share_token_taken: [400, 'This upload link is already in use.'],
  reverse_share_size_exceeds_maximum: [400, 'The size exceeds the maximum share size.'], // max: bytes
  share_not_being_edited: [400, 'The share is not being edited.'],
  share_already_completed: [400, 'The share is already completed.'],
  share_has_no_files: [400, 'The share has no files.'],
  upload_incomplete: [400, 'The upload is not complete.'], // missing: part numbers; or files: ids
  wrong_part_size: [400, 'The part has the wrong size.'], // expected: bytes
  unexpected_chunk_index: [400, 'Unexpected chunk received.'], // expectedChunkIndex
  wrong_chunk_size: [400, 'The chunk has the wrong size.'], // expected: bytes
  upload_field_after_file: [400, 'Text parts of the form must come before its files.'], // field
  part_out_of_range: [400, 'There is no such part.'], // partCount
  digest_mismatch: [400, 'The bytes do not match their digest.'],
  digest_unsupported: [400, 'The digest must be crc32c or sha-256.'],
  file_name_invalid: [400, 'The file name is not allowed.'], // rule
  file_already_complete: [400, 'The file is already complete.'],
  file_type_not_allowed: [400, 'This upload link does not take files of this type.'], // allowed: extensions and media types
  config_invalid: [400, 'The setting is not valid.'], // key, reason, and what the reason is about: see config/contract.ts
  logo_not_png: [400, 'The logo must be a PNG.'],
  logo_not_square: [400, 'The logo must be as wide as it is high.'],
  logo_too_large: [400, 'The logo is too large.'], // maxPixels on a side, maxBytes
  smtp_failed: [400, 'The e-mail could not be sent.'], // message and reason: the words of the mail server
  last_admin: [400, 'The last administrator cannot be deleted or demoted.'],
  totp_already_enabled: [400, 'The authenticator is set up already.'],
  totp_not_in_progress: [400, 'Begin with setting the authenticator up.'],
  totp_not_enabled: [400, 'There is no authenticator to switch off.'],
  invalid_totp: [400, 'The code is wrong or was used already.'],
  invalid_token: [400, 'The link is wrong, was used already or is too old.'],
  passkey_invalid: [400, 'The passkey could not be added.'],
  passkey_taken: [400, 'This passkey was added already.'],
  passkeys_unavailable: [400, 'Passkeys need a domain name and https.'],
  too_many_passkeys: [400, 'You have as many passkeys as an account may have.'], // max
  too_many_api_tokens: [400, 'You have as many API tokens as an account may have.'], // max
  not_linked: [400, 'No account of this provider is linked.'],
  last_way_in: [400, 'This is the last way in to the account.'],
  provider_failed: [400, 'The provider could not be used.'], // message and reason: its words
  unauthorized: [401, 'Sign in first.'],
  wrong_credentials: [401, 'Wrong username, e-mail address or password.'],
  invalid_login_token: [401, 'Begin the sign-in again.'],
  token_expired: [401, 'That took too long. Begin the sign-in again.'],
  passkey_rejected: [401, 'The passkey is unknown here or did not fit.'],
  session_ended: [401, 'The session has ended. Sign in again.'],
  forbidden: [403, 'You are not allowed to do this.'],
  confirmation_required: [403, 'Confirm that it is you: give your password, or sign in again.'], // hasPassword
  cross_site_request: [403, 'This request came from another site.'],
  smtp_disabled: [403, 'E-mail is switched off.'],
  setup_code_required: [403, 'The first account needs the setup code, which is shown when the server starts and in its log.'], // field
  wrong_setup_code: [403, 'This is not the setup code of this server.'], // field
  setup_finished: [403, 'The setup is finished already.'],
  password_sign_in_disabled: [403, 'Signing in by password is switched off.'],
  provider_disabled: [403, 'This provider is switched off.'], // provider: its name
  registration_disabled: [403, 'Registration is not allowed.'],
  unauthenticated_shares_disabled: [403, 'Sign in to share files.'],
  anonymous_share_not_deletable: [403, 'A share made without an account cannot be deleted by hand. It goes when it expires.'],
  share_password_required: [403, 'This share needs a password.'],
  private_share: [403, 'This share is private.'],
  reverse_share_password_required: [403, 'This upload link needs a password.'],
  share_token_required: [403, 'This share must be opened first.'],
  wrong_password: [403, 'Wrong password.'],
  share_max_views_exceeded: [403, 'The visitor limit of this share is exceeded.'],
  not_found: [404, 'There is nothing here.'],
  share_not_found: [404, 'Share not found.'],
  share_removed: [404, 'This share was removed.'],
  reverse_share_not_found: [404, 'This upload link does not exist, has expired or was used up.'],
  recipient_not_found: [404, 'There is no such recipient.'],
  file_not_found: [404, 'File not found.'],
  user_not_found: [404, 'User not found.'],
  job_not_found: [404, 'There is no such failed job.'],
  config_not_found: [404, 'Config variable not found.'], // key
  method_not_allowed: [405, 'This address does not support the method.'], // allow: the methods that it supports
  request_timeout: [408, 'The request did not come in time.'],
  zip_not_ready: [409, 'The archive is still being prepared. Try again in a few minutes.'], // progress 0 to 1
  zip_failed: [409, 'The archive could not be made. Download the files one by one.'],
  direct_uploads_off: [409, 'Parts are sent to this server, not to the object store.'],
  upload_in_progress: [409, 'This part is being uploaded by another request.'],
  length_required: [411, 'Content-Length is required.'],
  precondition_failed: [412, 'The file is another one than expected.'],
  share_too_large: [413, 'Your files exceed the maximum share size.'], // max: bytes
  too_many_files: [413, 'The share has too many files.'], // limit
  storage_quota_exceeded: [413, 'Not enough of your storage is left for these files.'], // max: bytes
  payload_too_large: [413, 'The request is too large.'],
  unsupported_media_type: [415, 'This content type is not supported here.'],
  range_not_satisfiable: [416, 'The requested range lies outside the file.'],
  too_many_requests: [429, 'Too many tries. Wait a little.'], // retryAfter: seconds
  too_many_open_uploads: [429, 'Too many uploads are open at once. Finish or cancel one, then try again.'], // limit, retryAfter: seconds
  too_many_emails: [429, 'Too many emails were sent. Try again later.'], // retryAfter: seconds
  headers_too_large: [431, 'The headers of the request are too long.'],
  internal: [500, 'An unknown error occurred.'],
  provider_misconfigured: [502, 'The provider does not take our client ID and secret.'], // provider: its name
  provider_unavailable: [502, 'The provider cannot be reached.'], // provider: its name
  unavailable: [503, 'The server cannot do this right now. Try again in a moment.'],
  insufficient_storage: [507, 'Not enough space on the server.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof errors
export type ErrorDetails = Record<string, unknown>

/** A failure the client may know about. Any other error is a bug: it is logged and answered `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(typeof details.message === 'string' ? details.message : errors[code][1], options)
    this.code = code
    this.details = details
  }

  get statusCode(): number {
    return errors[this.code][0]
  }
}

/** Razorbill can't start for a reason that the operator can fix. The message says how, so it is shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
