// Runs one command of the command line. Returns the exit code of the process.
import { CommanderError } from 'commander'
import { ApiError, NoAnswer } from '../client/client.ts'
import { CommandError, type Exit, exits } from './exits.ts'
import { openProgram } from './program.ts'
import { type CommandLife, openTerminal, plain } from './terminal.ts'

/** `args`: from the name of the command on. Never rejects for a mistake of the user or a refusal of the service. */
export async function run(args: readonly string[], life: CommandLife): Promise<Exit> {
  const terminal = openTerminal(life)
  let exit: Exit = exits.done
  try {
    refuseKey(args)
    const program = openProgram({ life, terminal }, (ended) => {
      exit = ended
    })
    await program.parseAsync([...args], { from: 'user' })
    return exit
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done : exits.usage
    const { exit: failed, message } = describe(error, life)
    terminal.say(`rescind: ${plain(message)}`)
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
    const hint = error.isUnsent ? '; is the service running at this address (--url, RESCIND_URL)?' : ''
    return { exit: exits.error, message: `${error.message}${hint}` }
  }
  return { exit: exits.error, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

function describeAnswer({ status, code, message, requestId, retryAfterSeconds }: ApiError) {
  const retry = retryAfterSeconds === undefined ? '' : `; retry after ${retryAfterSeconds} s`
  const facts = [code ?? `HTTP ${status}`, ...(requestId === undefined ? [] : [`request ${requestId}`])].join(', ')
  return status < 500
    ? { exit: exits.refused, message: `refused: ${message} (${facts})${retry}` }
    : { exit: exits.error, message: `the service failed: ${message} (${facts})${retry}` }
}
