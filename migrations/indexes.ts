/** An index that is built while clients write, because building it in a large table takes long. */
export interface OnlineIndex {
  name: string
  /** The table, method and columns. A changed definition needs a new name. */
  on: string
  /**
   * An index that is deleted after the build, because this one does its work. Not for an index of
   * trigrams, which may be left out.
   */
  replaces?: string
}

/**
 * Indexes that no migration creates. `buildIndexes` builds those that are missing after the
 * migrations. Until then, the statements that use them are slow, but work. Those of trigrams need
 * the extension pg_trgm.
 */
export const onlineIndexes: OnlineIndex[] = [
  { name: 'share_expiration', on: `share (coalesce(expires_at, 'infinity') desc, created_at desc, id)` },
  {
    name: 'share_owned',
    on: 'share (owner_id, created_at desc, id) include (expires_at, completed_at)',
    replaces: 'share_owner',
  },
  { name: 'share_search', on: 'share using gin (id gin_trgm_ops, name gin_trgm_ops, description gin_trgm_ops)' },
  { name: 'share_zip_preparing', on: `share (uid) where zip_state = 'preparing'` },
  { name: 'user_search', on: '"user" using gin (username_key gin_trgm_ops, email_key gin_trgm_ops, username gin_trgm_ops)' },
]
