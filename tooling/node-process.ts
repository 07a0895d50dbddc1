// A chain node as a child process: started, awaited until it listens, spoken to, and ended by its own pid.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Dispatcher, fetch, getGlobalDispatcher } from 'undici'

interface NodeProcess {
  readonly pid: number
  readonly url: string
  readonly port: number
  /** The last lines that it printed, for a failure's message. */
  output(): string
  /** SIGSTOP and SIGCONT: a node that accepts connections and says nothing. */
  freeze(): void
  thaw(): void
  /** Ends it at once; resolves when the process is gone. */
  stop(): Promise<void>
}

interface NodeCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Finds the port in what the node prints when it listens. */
  readonly listening: RegExp
}

const startTimeoutMs = 110_000
const outputMaxChars = 4_000

/** Rejects with the node's own words when it ends or says nothing within a minute. */
export async function startNode(command: NodeCommand): Promise<NodeProcess> {
  const child = spawn(command.file, [...command.args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...command.env },
    ...(command.cwd !== undefined && { cwd: command.cwd }),
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.removeListener('exit', kill))

  let output = ''
  const port = await new Promise<number>((resolve, reject) => {
    const give = (why: string) => reject(new Error(`${command.file} ${why}:\n${output}`))
    const timer = setTimeout(() => give(`did not listen within ${startTimeoutMs} ms`), startTimeoutMs)
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-outputMaxChars)
      const found = command.listening.exec(output)?.[1]
      if (found === undefined) return
      clearTimeout(timer)
      resolve(Number(found))
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('exit', (code) => give(`ended with ${code}`))
  }).catch((error: unknown) => {
    kill()
    throw error
  })

  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    port,
    output: () => output,
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    stop: () => stopped(child),
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

let nextId = 1

/** One JSON-RPC call, apart from everything under test. Rejects with the node's own message. */
export async function rpcCall<T = unknown>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  dispatcher: Dispatcher = getGlobalDispatcher(),
): Promise<T> {
  const answer = await fetch(url, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params }),
  })
  const body = (await answer.json()) as { result?: T; error?: { code: number; message: string } }
  if (body.error) throw new Error(`${method}: ${body.error.message} (${body.error.code})`)
  return body.result as T
}
