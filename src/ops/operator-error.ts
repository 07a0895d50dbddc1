// What only the operator can mend: told in words when the service starts, without a stack.
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}
