/** Parts signed for one address: far more than a line carries, and few enough that nobody keeps a replica busy with signing. */
export const signedPartsOfAddress = { name: 'sign-part', tries: 6000, seconds: 60 }
