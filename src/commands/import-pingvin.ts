// The name of `import.ts pingvin` in earlier versions.
process.argv.splice(2, 0, 'pingvin')
await import('./import.ts')
