import { type Kysely, sql } from 'kysely'

/**
 * Adds second factors, passkeys, API tokens and short-lived tokens. Tokens and codes are stored
 * hashed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Incremented by each change of credentials, which invalidates sign-ins in progress.
  await sql`alter table "user" add column credential_version integer not null default 0, add column totp_last_step bigint`.execute(db)
  await sql`
    create table login_token (
      token_hash text primary key,
      user_id uuid not null references "user" on delete cascade,
      tries integer not null default 0,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index login_token_of_user on login_token (user_id)`.execute(db)
  await sql`create index login_token_expiry on login_token (expires_at)`.execute(db)
  await sql`
    create table recovery_code (
      user_id uuid not null references "user" on delete cascade,
      code_hash text not null,
      primary key (user_id, code_hash)
    )`.execute(db)
  await sql`
    create table password_token (
      token_hash text primary key,
      user_id uuid not null references "user" on delete cascade,
      purpose text not null check (purpose in ('reset', 'invitation')),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index password_token_of_user on password_token (user_id)`.execute(db)
  await sql`create index password_token_expiry on password_token (expires_at)`.execute(db)
  await sql`
    create table passkey (
      id uuid primary key default gen_random_uuid(),
      user_id uuid not null references "user" on delete cascade,
      credential_id text not null unique,
      public_key text not null,
      counter bigint not null,
      transports text not null default '',
      rp_id text not null,
      backed_up boolean not null,
      name text not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz
    )`.execute(db)
  await sql`create index passkey_of_user on passkey (user_id)`.execute(db)
  await sql`
    create table passkey_challenge (
      challenge_hash text primary key,
      purpose text not null check (purpose in ('register', 'sign-in', 'second-factor')),
      user_id uuid references "user" on delete cascade,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index passkey_challenge_of_user on passkey_challenge (user_id) where user_id is not null`.execute(db)
  await sql`create index passkey_challenge_expiry on passkey_challenge (expires_at)`.execute(db)
  await sql`
    create table api_token (
      id uuid primary key default gen_random_uuid(),
      user_id uuid not null references "user" on delete cascade,
      name text not null,
      token_hash text not null unique,
      scopes text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz
    )`.execute(db)
  await sql`create index api_token_of_user on api_token (user_id)`.execute(db)
}
