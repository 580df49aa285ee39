/** Parts signed for one address: far more than a line carries, and few enough that nobody keeps a replica busy with signing. */
export const signedPartsPerAddress = { name: 'sign-part', attempts: 6000, seconds: 60 }
/** Of one text part of a form, in bytes. */
export const fieldMaxBytes = 65_536
/** Text parts of a form: 200 recipients may come one by one. */
export const fieldsMax = 200
/** All text parts of a form together, in bytes. */
export const textMaxBytes = 1_048_576
/** Text that a caller who may not share yet can send before naming a reverse share, in bytes. */
export const strangerTextMaxBytes = 16_384
