// An error that only the operator can fix: printed at the start of the service as a message, without a stack.
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}
