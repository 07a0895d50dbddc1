// Runs one command of the command line. Returns the exit code of the process.
import { CommanderError } from 'commander'
import { ApiError, type Client, NoAnswer } from '../client/client.ts'
import { listRelayers } from './connect.ts'
import { CommandError, type Exit, exits, explainCode } from './exits.ts'
import { openProgram } from './program.ts'
import { type CommandLife, openTerminal, plain } from './terminal.ts'

/** `args`: from the name of the command on. Never rejects for a mistake of the user or a refusal of the service. */
export async function run(args: readonly string[], life: CommandLife): Promise<Exit> {
  const terminal = openTerminal(life)
  let exit: Exit = exits.done
  let client: Client | undefined
  const onConnect = (opened: Client) => {
    client = opened
  }
  try {
    refuseKey(args)
    const program = openProgram({ life: { ...life, onConnect }, terminal }, (ended) => {
      exit = ended
    })
    await program.parseAsync([...args], { from: 'user' })
    return exit
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done : exits.usage
    const { exit: failed, message } = describe(error, life)
    terminal.say(`rescind: ${plain(message)}`)
    for (const line of await helpFor(error, client)) terminal.say(plain(line))
    return failed
  } finally {
    terminal.endProgress()
  }
}

/** Every user of the machine can read a command line. */
function refuseKey(args: readonly string[]): void {
  if (args.some((arg) => /^--?(?:api-?key|key|token)(?:=|$)/i.test(arg))) {
    throw new CommandError(
      exits.usage,
      'a key does not belong on a command line, which everybody on the machine can read: set API_KEY, or write it to .env',
    )
  }
}

function describe(error: unknown, { stop }: CommandLife): { readonly exit: Exit; readonly message: string } {
  if (error instanceof CommandError) return error
  if (stop.aborted) return { exit: exits.error, message: 'stopped' }
  if (error instanceof ApiError) return describeAnswer(error)
  if (error instanceof NoAnswer) {
    const hint = error.isUnsent
      ? '; is the service running there? --url, RESCIND_URL and APP_PORT name another address, the variables also in .env'
      : ''
    return { exit: exits.error, message: `${error.message}${hint}` }
  }
  return { exit: exits.error, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

/** Lines below the message: the page about the error, and what the reader needs to try again. */
async function helpFor(error: unknown, client: Client | undefined): Promise<readonly string[]> {
  if (!(error instanceof ApiError)) return []
  const lines = await explainCode(error.code)
  if (error.code === 'UNAUTHORIZED') return [...lines, `  ${whereTheKeyIs}`]
  if (error.code !== 'RELAYER_NOT_FOUND' || !client) return lines
  const { ids, total } = await listRelayers(client).catch(() => ({ ids: '', total: 0 }))
  return total === 0 ? lines : [...lines, `  relayers: ${ids}`]
}

const whereTheKeyIs = 'the key is API_KEY of the environment, else of .env in the working directory'

function describeAnswer({ status, code, message, requestId, retryAfterSeconds }: ApiError) {
  const retry = retryAfterSeconds === undefined ? '' : `; retry after ${retryAfterSeconds} s`
  const facts = [code ?? `HTTP ${status}`, ...(requestId === undefined ? [] : [`request ${requestId}`])].join(', ')
  return status < 500
    ? { exit: exits.refused, message: `refused: ${message} (${facts})${retry}` }
    : {
        exit: code === 'OUTCOME_UNKNOWN' ? exits.undecided : exits.error,
        message: `the service failed: ${message} (${facts})${retry}`,
      }
}
