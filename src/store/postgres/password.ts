// A password that changes while the service runs, as a token of a cloud's IAM does: a file or a command yields it at each connect.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'

/** Less than connecting may take. */
const commandTimeoutMs = 8_000
const bytesMax = 65_536

/** The file or the command yielded no password, so no connection was made. */
class NoPassword extends Error {
  override readonly name = 'NoPassword'
  /** Read like the codes of Node. */
  readonly code = 'ENOPASSWORD'
}

type ReadPassword = () => Promise<string>

/** The password's source; undefined where the URL names none. Throws OperatorError if it names two. */
export function passwordFrom(given: URLSearchParams): ReadPassword | undefined {
  const file = given.get('password_file')
  const command = given.get('password_command')
  if (file !== null && command !== null) {
    throw new OperatorError('DATABASE_URL: password_file and password_command are both given; take one out')
  }
  if (file === '' || command?.trim() === '') {
    throw new OperatorError('DATABASE_URL: password_file or password_command is empty; name a file or a program')
  }
  if (file !== null) return closingOnFailure(() => readFrom(file))
  return command === null ? undefined : closingOnFailure(() => outputOf(command))
}

/** The driver calls it on the client, and would leave the client's connection open until the server gives it up. */
function closingOnFailure(read: ReadPassword): ReadPassword {
  return async function password(this: unknown) {
    try {
      const found = (await read()).replace(/\r?\n$/, '')
      if (found === '')
        throw new NoPassword('the file or the command for the password of the database yields an empty one')
      return found
    } catch (error) {
      if (this instanceof pg.Client) this.connection.stream.destroy()
      throw error
    }
  }
}

async function readFrom(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new NoPassword(`the file with the password of the database can't be read (${memberOf(cause, 'code')})`, {
      cause,
    })
  }
}

/** The output of a command that runs without a shell. It may be a secret, and is in no message. */
function outputOf(command: string): Promise<string> {
  const [program = '', ...parameters] = command.trim().split(/\s+/)
  return new Promise((resolve, reject) => {
    const limits = { timeout: commandTimeoutMs, maxBuffer: bytesMax, killSignal: 'SIGKILL' as const }
    execFile(program, parameters, limits, (failure, output) => {
      if (!failure) return resolve(output)
      const why = failure.killed ? `took over ${commandTimeoutMs / 1_000} seconds` : `failed (${failure.code})`
      reject(new NoPassword(`the command for the password of the database ${why}`))
    })
  })
}
