import type { FileSource } from '../../../uploader/types.ts'
import { ShownError } from '../error-text.ts'
import { local } from '../storage.ts'

const choice = 'removePhotoData'
const covered = /\.(?:jpe?g|jfif|png|webp|heic|heif|avif|mp4|m4v|mov|3gp)$/i

/** Returns whether this browser's user wants data about photos and videos to be removed before an upload. */
export function removesPhotoData(): boolean {
  return local.get(choice) !== null
}

/** Remembers whether data about photos and videos is to be removed. */
export function chooseRemoval(isOn: boolean): void {
  if (isOn) local.set(choice, 'true')
  else local.remove(choice)
}

/** Returns whether a file's name is one of a photo or video whose data can be removed. */
export function hasPhotoData({ name }: Pick<FileSource, 'name'>): boolean {
  return covered.test(name)
}

/**
 * Removes location, camera and similar data from the photos and videos among files. Other files stay
 * as they are.
 *
 * @throws {ShownError} the data of one can't be removed, so nothing may be uploaded
 */
export async function withoutPhotoData(sources: readonly FileSource[]): Promise<FileSource[]> {
  const { cleanMedia } = await import('../../../uploader/metadata/clean-media.ts')
  const cleaned: FileSource[] = []
  for (const source of sources) {
    const cleaning = await cleanMedia(source) // one after another, as each photo is in memory meanwhile
    if (cleaning.outcome === 'failed') throw new ShownError('upload.photoDataFailed', { name: source.name })
    cleaned.push(cleaning.source)
  }
  return cleaned
}
