/** Defined by web/build/service-worker.ts. */
declare const built: {
  /** The hash of the other values. */
  version: string
  /** Addresses of files with a content hash in their names. */
  assets: string[]
  /**
   * The page that is shown offline; `__nonce__` is replaced by the nonce of its style and script.
   */
  offlinePage: string
}
