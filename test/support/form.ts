interface Part {
  name: string
  /** Text parts have none. */
  filename?: string
  type?: string
  value: string | Buffer
}

export const boundary = '----razorbill-test'
export const formType = { 'content-type': `multipart/form-data; boundary=${boundary}` }

/** A text part of a form. */
export const text = (name: string, value: string): Part => ({ name, value })
/** A file of a form. */
export const file = (filename: string, value: string | Buffer, type = 'application/octet-stream'): Part => ({
  name: 'file',
  filename,
  type,
  value,
})

/** The head of a part, as browsers write it. Its bytes follow. */
export function headOf({ name, filename, type }: Omit<Part, 'value'>): string {
  const disposition = `content-disposition: form-data; name="${name}"`
  const escaped = filename?.replaceAll('"', '%22')
  return `--${boundary}\r\n${disposition}${filename === undefined ? '' : `; filename="${escaped}"`}\r\n${type ? `content-type: ${type}\r\n` : ''}\r\n`
}

/** A whole form as `multipart/form-data`. */
export function form(...parts: Part[]): Buffer {
  const pieces = parts.flatMap((part) => [Buffer.from(headOf(part)), Buffer.from(part.value), Buffer.from('\r\n')])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}
