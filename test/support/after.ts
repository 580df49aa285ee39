import { stopTestPostgres } from './postgres.ts'

await stopTestPostgres()
