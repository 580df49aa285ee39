/** What web/build/service-worker.ts puts into the service worker. */
declare const built: {
  /** A hash of all below. */
  version: string
  /** Addresses of files whose names hold a hash of their bytes. */
  assets: string[]
  /** The page that is shown offline; `__nonce__` stands for the nonce of its style and script. */
  offlinePage: string
}
