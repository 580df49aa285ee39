const compressed = [
  /^(?:apng|avif|gif|heic|heif|jfif|jpe|jpeg|jpg|jxl|png|webp)$/,
  /^(?:aac|flac|m4a|mp3|oga|ogg|opus|weba)$/,
  /^(?:3gp|m4v|mkv|mov|mp4|mpeg|mpg|ogv|webm)$/,
  /^(?:7z|br|bz2|gz|rar|tgz|xz|zip|zst)$/,
  /^(?:apk|docx|epub|jar|odp|ods|odt|pptx|xlsx)$/,
]

/**
 * Returns whether a file of this name is compressed already, so that a zip can't make it smaller.
 */
export function isCompressed(name: string): boolean {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase()
  return extension !== undefined && compressed.some((extensions) => extensions.test(extension))
}
