// A child process that can't outlive its parent: it holds an IPC channel, and kills itself when that closes.
import { type ChildProcess, spawn } from 'node:child_process'

const tether = 'process.on("disconnect", () => process.kill(process.pid, "SIGKILL")); process.channel.unref()'

export interface Tethered {
  readonly pid: number
  /** What it wrote to stdout and stderr, the last `logCharactersMax` of it. */
  logs(): string
  signal(name: NodeJS.Signals): void
  isRunning(): boolean
  /** Resolves when the process is gone and its output is read to the end. */
  readonly exited: Promise<Exit>
}

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const logCharactersMax = 2_000_000

/** The compile cache is shared by all processes, which saves a third of each start. */
function compileCache(): Record<string, string> {
  const { NODE_COMPILE_CACHE: folder } = process.env
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}

/** Starts `node ...args` with exactly `env`: nothing else of the parent's environment leaks in but its compile cache. */
export function spawnTethered(
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Tethered {
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(tether)}`, ...args], {
    cwd: options.cwd,
    env: { ...compileCache(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let logs = ''
  const keep = (chunk: string) => {
    logs = (logs + chunk).slice(-logCharactersMax)
  }
  child.stdout?.setEncoding('utf8').on('data', keep)
  child.stderr?.setEncoding('utf8').on('data', keep)
  const exited = exitOf(child)
  if (child.pid === undefined) throw new Error(`could not start ${process.execPath}`)
  return {
    pid: child.pid,
    logs: () => logs,
    signal: (name) => child.kill(name),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    exited,
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}
