// Why a server can't listen, for the operator who set its address.
import { OperatorError } from '../../ops/operator-error.ts'

interface Address {
  readonly host: string
  readonly port: number
  /** The environment variables that the address comes from. */
  readonly hostVariable: string
  readonly portVariable: string
}

/** The cause itself if the address is not at fault. */
export function listenError(cause: unknown, { host, port, hostVariable, portVariable }: Address): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `${portVariable}: another process listens on ${host}:${port}; stop it, or set ${portVariable} to a free port, or to 0 for any`,
        { cause },
      )
    case 'EACCES':
      return new OperatorError(
        `${portVariable}: this user may not listen on port ${port}; set ${portVariable} to one above 1023`,
        { cause },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new OperatorError(
        `${hostVariable}: "${host}" is no address of this machine; set ${hostVariable} to one, such as 127.0.0.1, or to 0.0.0.0 for all`,
        { cause },
      )
    default:
      return cause
  }
}
