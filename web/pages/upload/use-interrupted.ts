import { useQuery, useQueryClient } from '@tanstack/react-query'
import { findInterrupted } from './session.ts'

const queryKey = ['interrupted-uploads']

/** The uploads that a reload or a crash cut off in this browser. */
export function useInterrupted() {
  const queries = useQueryClient()
  const { data: interrupted = [] } = useQuery({ queryKey, queryFn: findInterrupted, gcTime: 0 })
  return { interrupted, forget: () => queries.invalidateQueries({ queryKey }) }
}
