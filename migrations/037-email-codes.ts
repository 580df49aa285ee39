import { type Kysely, sql } from 'kysely'

/**
 * Adds the codes with which recipients confirm their links, and emails that end: `link_uid` is the
 * link that an email has a code for, and after `expires_at` it is no longer sent. Only the link of a
 * recipient can ask for a code, because no other has an address. That constraint is not checked
 * against the rows while the table is locked, because none of them asks for a code yet. A version
 * without codes shows such a link to everyone who has it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table share_link
      add constraint share_link_verify_email check (not verify_email or recipient_id is not null) not valid`.execute(db)
  await sql`
    create table email_code (
      link_uid uuid primary key references share_link (uid) on delete cascade,
      code_hash text not null,
      tries integer not null default 0,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index email_code_expiry on email_code (expires_at)`.execute(db)
  await sql`
    alter table mail
      add column link_uid uuid references share_link (uid) on delete cascade,
      add column expires_at timestamptz`.execute(db)
  await sql`create index mail_of_link on mail (link_uid) where link_uid is not null`.execute(db)
  await sql`create index mail_expiry on mail (expires_at) where expires_at is not null`.execute(db)
}
