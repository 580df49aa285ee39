import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Destination, findInterrupted } from './upload-session.ts'

const interruptedUploads = 'interrupted-uploads'

/** Loads the interrupted uploads of this browser to a destination. */
export function useInterrupted(destination: Destination) {
  const queries = useQueryClient()
  const queryKey = [interruptedUploads, destination]
  const { data: interrupted = [], isPending } = useQuery({ queryKey, queryFn: () => findInterrupted(destination), gcTime: 0 })
  return { interrupted, isPending, forget: () => queries.invalidateQueries({ queryKey }) }
}
