import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { JobName } from '../queue/jobs.ts'
import type { JobCounts } from '../queue/queue.ts'

interface RequestDone {
  method: string
  /** The route's pattern, never the path, which contains share links. */
  route: string
  status: number
  /** Whether the client disconnected before the end of the response. */
  aborted: boolean
  seconds: number
  bytesIn: number
  bytesOut: number
}

/** An event that a worker also records; see `forwardedMetrics`. */
export type MetricEvent =
  | { kind: 'job'; job: JobName; outcome: 'done' | 'failed' | 'given_back'; seconds: number }
  | { kind: 'storage error'; operation: string; reason: StorageReason }
  | { kind: 'download'; outcome: 'complete' | 'incomplete' }
  | { kind: 'reminders'; count: number }
export type StorageReason = 'unavailable' | 'full' | 'missing' | 'damaged'

/** The counters of this process. */
export interface Metrics {
  requestStarted(): void
  requestDone(request: RequestDone): void
  record(event: MetricEvent): void
  /** Sets the current state of the whole installation; null: unknown. */
  setInstallation(state: { openUploads: number | null; openLinks: number | null; jobs: JobCounts[] | null }): void
  /** Returns all metrics in the text format of Prometheus 0.0.4. */
  text(): Promise<string>
}

export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE

const requestSeconds = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600]
const jobSeconds = [0.01, 0.1, 1, 10, 60, 600, 3600]
const jobStates = ['waiting', 'active', 'delayed', 'failed'] as const

/** Creates counters. `ofProcess` adds those of Node.js: CPU, memory, event loop, open files. */
export function createMetrics({ ofProcess = false } = {}): Metrics {
  const register = new Registry()
  const registers = [register]
  if (ofProcess) collectDefaultMetrics({ register })
  const duration = new Histogram({
    name: 'razorbill_http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response; status 499: the client disconnected early',
    labelNames: ['method', 'route', 'status'],
    buckets: requestSeconds,
    registers,
  })
  const active = new Gauge({ name: 'razorbill_http_requests_active', help: 'Requests that are being served', registers })
  const received = new Counter({ name: 'razorbill_http_received_bytes_total', help: 'Bytes from clients, headers included', registers })
  const sent = new Counter({ name: 'razorbill_http_sent_bytes_total', help: 'Bytes to clients, headers included', registers })
  const openUploads = new Gauge({
    name: 'razorbill_uploads_open',
    help: 'Files with an unfinished upload in the installation (the same from every replica)',
    registers,
  })
  const openLinks = new Gauge({
    name: 'razorbill_links_open',
    help: 'Links of shares that visitors can open (the same from every replica)',
    registers,
  })
  const downloads = new Counter({
    name: 'razorbill_downloads_total',
    help: 'Files and ZIPs that one visitor received completely, and responses whose client left early',
    labelNames: ['outcome'],
    registers,
  })
  const reminders = new Counter({
    name: 'razorbill_reminders_total',
    help: 'Emails about shares that expire and that no one has downloaded',
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
    help: 'Time that one attempt of a job took on this worker',
    labelNames: ['job', 'outcome'],
    buckets: jobSeconds,
    registers,
  })
  const storageErrors = new Counter({
    name: 'razorbill_storage_errors_total',
    help: 'Operations that the object store refused or failed',
    labelNames: ['operation', 'reason'],
    registers,
  })

  return {
    requestStarted: () => active.inc(),
    requestDone({ method, route, status, aborted, seconds, bytesIn, bytesOut }) {
      active.dec()
      duration.observe({ method, route, status: aborted ? 499 : status }, seconds)
      received.inc(bytesIn)
      sent.inc(bytesOut)
    },
    record(event) {
      if (event.kind === 'job') jobs.observe({ job: event.job, outcome: event.outcome }, event.seconds)
      else if (event.kind === 'download') downloads.inc({ outcome: event.outcome })
      else if (event.kind === 'reminders') reminders.inc(event.count)
      else storageErrors.inc({ operation: event.operation, reason: event.reason })
    },
    setInstallation({ openUploads: files, openLinks: links, jobs: counts }) {
      openUploads.remove()
      if (files !== null) openUploads.set(files)
      openLinks.remove()
      if (links !== null) openLinks.set(links)
      queue.reset()
      for (const { name, ...states } of counts ?? []) for (const state of jobStates) queue.set({ job: name, state }, states[state])
    },
    text: () => register.metrics(),
  }
}

/**
 * Creates the metrics of a worker beside a server, which `send` forwards to the server's metrics.
 */
export function forwardedMetrics(send: (event: MetricEvent) => void): Metrics {
  return { ...createMetrics(), record: send }
}
