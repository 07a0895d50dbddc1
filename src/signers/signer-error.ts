// The error of a signer that can't be opened. It names the signer, its file if any, and the fix, but never the key or
// the passphrase.
import { OperatorError } from '../ops/operator-error.ts'

export class SignerError extends OperatorError {
  override readonly name = 'SignerError'
}
