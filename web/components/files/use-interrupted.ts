import { useQuery, useQueryClient } from '@tanstack/react-query'
import { findInterrupted, type Place } from './upload-session.ts'

const interruptedUploads = 'interrupted-uploads'

/** The uploads to a place that a reload or a crash cut off in this browser. */
export function useInterrupted(place: Place) {
  const queries = useQueryClient()
  const queryKey = [interruptedUploads, place]
  const { data: interrupted = [], isPending } = useQuery({ queryKey, queryFn: () => findInterrupted(place), gcTime: 0 })
  return { interrupted, isPending, forget: () => queries.invalidateQueries({ queryKey }) }
}
