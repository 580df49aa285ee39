/** Where Ant Design keeps its own texts in one of our languages, from the project's root. */
export function antdLocaleFile(language: string): string {
  return `node_modules/antd/es/locale/${language === 'sr-SP' ? 'sr_RS' : language.replace('-', '_')}.js`
}
