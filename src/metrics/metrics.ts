import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { JobName } from '../queue/jobs.ts'
import type { JobCounts } from '../queue/queue.ts'

export interface RequestDone {
  method: string
  /** The pattern, never the path: links are in it. */
  route: string
  status: number
  /** The client left before the end of the answer. */
  aborted: boolean
  seconds: number
  bytesIn: number
  bytesOut: number
}

/** What also a worker beside the server has to tell; see `forwardedMetrics`. */
export type MetricEvent =
  | { kind: 'job'; job: JobName; outcome: 'done' | 'failed' | 'given_back'; seconds: number }
  | { kind: 'storage error'; operation: string; reason: StorageReason }
export type StorageReason = 'unavailable' | 'full' | 'missing'

/** Counts what happens in this process. */
export interface Metrics {
  requestBegun(): void
  requestDone(request: RequestDone): void
  note(event: MetricEvent): void
  /** What the whole installation has now; null: not known. */
  installation(state: { openUploads: number | null; jobs: JobCounts[] | null }): void
  /** All of it in the text format of Prometheus 0.0.4. */
  text(): Promise<string>
}

export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE

const requestSeconds = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600]
const jobSeconds = [0.01, 0.1, 1, 10, 60, 600, 3600]
const jobStates = ['waiting', 'active', 'delayed', 'failed'] as const

/** Counters that start at nothing. With `ofProcess` those of Node.js are among them (CPU, memory, event loop, open files). */
export function createMetrics({ ofProcess = false } = {}): Metrics {
  const register = new Registry()
  const registers = [register]
  if (ofProcess) collectDefaultMetrics({ register })
  const duration = new Histogram({
    name: 'razorbill_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer; status 499: the client left before',
    labelNames: ['method', 'route', 'status'],
    buckets: requestSeconds,
    registers,
  })
  const active = new Gauge({ name: 'razorbill_http_requests_active', help: 'Requests that are being answered', registers })
  const received = new Counter({ name: 'razorbill_http_received_bytes_total', help: 'Bytes from clients, headers included', registers })
  const sent = new Counter({ name: 'razorbill_http_sent_bytes_total', help: 'Bytes to clients, headers included', registers })
  const openUploads = new Gauge({
    name: 'razorbill_uploads_open',
    help: 'Files of the installation whose upload is not finished (the same from every replica)',
    registers,
  })
  const queue = new Gauge({
    name: 'razorbill_queue_jobs',
    help: 'Jobs in the queue (the same from every replica)',
    labelNames: ['job', 'state'],
    registers,
  })
  const jobs = new Histogram({
    name: 'razorbill_job_duration_seconds',
    help: 'Time that one try of a job took on this worker',
    labelNames: ['job', 'outcome'],
    buckets: jobSeconds,
    registers,
  })
  const storageErrors = new Counter({
    name: 'razorbill_storage_errors_total',
    help: 'What the object store refused or could not do',
    labelNames: ['operation', 'reason'],
    registers,
  })

  return {
    requestBegun: () => active.inc(),
    requestDone({ method, route, status, aborted, seconds, bytesIn, bytesOut }) {
      active.dec()
      duration.observe({ method, route, status: aborted ? 499 : status }, seconds)
      received.inc(bytesIn)
      sent.inc(bytesOut)
    },
    note(event) {
      if (event.kind === 'job') jobs.observe({ job: event.job, outcome: event.outcome }, event.seconds)
      else storageErrors.inc({ operation: event.operation, reason: event.reason })
    },
    installation({ openUploads: files, jobs: counts }) {
      openUploads.remove()
      if (files !== null) openUploads.set(files)
      queue.reset()
      for (const { name, ...states } of counts ?? []) for (const state of jobStates) queue.set({ job: name, state }, states[state])
    },
    text: () => register.metrics(),
  }
}

/** Metrics of a worker beside a server: `send` tells the server, which counts them as its own. */
export function forwardedMetrics(send: (event: MetricEvent) => void): Metrics {
  return { ...createMetrics(), note: send }
}
