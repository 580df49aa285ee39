/**
 * Returns the file with Ant Design's own texts in one of our languages, relative to the project's
 * root.
 */
export function antdLocaleFile(language: string): string {
  return `node_modules/antd/es/locale/${language === 'sr-SP' ? 'sr_RS' : language.replace('-', '_')}.js`
}
