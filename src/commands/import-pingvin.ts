// The command's name before there were other products: `node src/commands/import-pingvin.ts
// <folder>`.
process.argv.splice(2, 0, 'pingvin')
await import('./import.ts')
