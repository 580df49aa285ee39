/** Maximum width and height of a thumbnail in pixels. */
export const thumbnailPixels = 400
/** Maximum width and height of a preview in pixels. */
export const previewPixels = 1600
