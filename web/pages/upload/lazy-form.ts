import { lazy } from 'react'

/** The form of a new share. It imports antd's form fields, so it is loaded when it is first shown. */
export const NewShareForm = lazy(async () => ({ default: (await import('./NewShareForm.tsx')).NewShareForm }))
