import { startTestPostgres } from './postgres.ts'

await startTestPostgres()
