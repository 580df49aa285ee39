/** Where the source code is, from package.json's `homepage`; empty when it names none. */
export const sourceCode: string = import.meta.env.SOURCE_CODE
