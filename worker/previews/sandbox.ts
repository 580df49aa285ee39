import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Programs } from './programs.ts'

/** A program failed, or exceeded a limit. The message has the last line that it wrote. */
export class ProgramFailed extends Error {}

const MiB = 1_048_576
/** Bytes of address space of one program. */
const MEMORY = 1024 * MiB
/** Bytes that are left to the worker where the container's memory is limited. */
const MEMORY_OF_WORKER = 256 * MiB
/** Bytes of a file that a program may write. */
const FILE_BYTES = 256 * MiB
/** Bytes of output that are kept. */
const OUTPUT_BYTES = 65_536

/**
 * Limits memory (KiB), CPU time (seconds) and files (blocks of 512 bytes), lets the system end the
 * program first when memory runs out, and runs it with low priority.
 */
const script = `ulimit -v "$1" 2>/dev/null; ulimit -t "$2"; ulimit -f "$3"; ulimit -c 0; shift 3
(echo 1000 >/proc/self/oom_score_adj) 2>/dev/null; exec nice -n 10 "$@"`

interface Options {
  /** The working folder, the only one that the program needs. */
  folder: string
  /** Seconds until the program is killed. */
  seconds: number
  signal: AbortSignal
}

/**
 * Runs a program with limits, an almost empty environment and no input. Returns what it wrote to
 * its standard output, at most 64 KiB.
 *
 * @throws {ProgramFailed}
 * @throws the reason of `signal`
 */
export async function runLimited(
  programs: Programs,
  name: keyof Programs['paths'],
  args: string[],
  { folder, seconds, signal }: Options,
): Promise<string> {
  signal.throwIfAborted()
  const limits = [memoryLimit() / 1024, seconds, FILE_BYTES / 512].map((limit) => String(Math.ceil(limit)))
  const command = [...programs.isolation(folder), programs.paths[name] as string, ...args]
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...limits, ...command], {
    cwd: folder,
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // its own process group, so that all its processes can be killed
  })
  const kill = () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    process.kill(-child.pid, 'SIGKILL')
  }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, seconds * 1000)
  signal.addEventListener('abort', kill)
  try {
    const [output, errors, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended(child)])
    signal.throwIfAborted()
    if (isLate) throw new ProgramFailed(`${name} took more than ${seconds} seconds`)
    if (code !== 0) throw new ProgramFailed(`${name} failed: ${lastLine(errors) || code}`)
    return output
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
  }
}

/** Returns the bytes of address space that a program may use. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.min(MEMORY, Math.max(constrained - MEMORY_OF_WORKER, MEMORY_OF_WORKER))
}

function environment(folder: string): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: folder,
    TMPDIR: folder,
    LC_ALL: 'C',
    MALLOC_ARENA_MAX: '1',
    VIPS_BLOCK_UNTRUSTED: '1', // only formats whose readers are tested against hostile files
    VIPS_CONCURRENCY: '1',
    OMP_NUM_THREADS: '1',
  }
}

/** Reads a stream to its end, and returns its first 64 KiB. */
async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    if (length < OUTPUT_BYTES) chunks.push(chunk)
    length += chunk.length
  }
  return Buffer.concat(chunks).toString('utf8', 0, OUTPUT_BYTES)
}

function ended(child: ReturnType<typeof spawn>): Promise<number | string | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim().slice(0, 200) ?? ''
}
