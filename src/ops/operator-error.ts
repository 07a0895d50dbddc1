// Errors that only the operator can fix: printed at the start of the service as a message, without a stack.
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/**
 * The error of a signer that can't be opened. It names the signer, its file if any, and the fix, but never the key or
 * the passphrase.
 */
export class SignerError extends OperatorError {
  override readonly name = 'SignerError'
}
