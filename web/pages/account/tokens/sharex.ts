/**
 * Returns a custom uploader of ShareX (version 14 and later) that uploads to this installation and
 * copies the link.
 */
export function sharexPreset(baseUrl: string, token: string): string {
  const preset = {
    Version: '14.0.0',
    DestinationType: 'ImageUploader, TextUploader, FileUploader',
    RequestMethod: 'POST',
    RequestURL: `${baseUrl}/api/upload`,
    Headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
    Body: 'MultipartFormData',
    FileFormName: 'file',
    URL: '{json:link}',
    ErrorMessage: '{json:message}',
  }
  return `${JSON.stringify(preset, null, 2)}\n`
}

/** Returns the file name of the custom uploader: the domain, in lower case. */
export function sharexFileName(baseUrl: string): string {
  return `${new URL(baseUrl).hostname.toLowerCase()}.sxcu`
}
