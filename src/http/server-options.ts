/**
 * Limits of the HTTP server in milliseconds. Requests as a whole have none, because an upload may
 * take hours; see `enforceBodyDeadline` and `enforceTransferFloor`.
 */
export const serverOptions = { headersTimeout: 20_000, connectionsCheckingInterval: 5_000, requestTimeout: 0, keepAliveTimeout: 72_000 }
