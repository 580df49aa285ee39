import { testPostgres } from './postgres.ts'

await testPostgres()
