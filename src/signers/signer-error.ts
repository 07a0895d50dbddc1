// A signer that can't be opened: names the signer, the file where there is one, and the fix; never key or passphrase.
import { OperatorError } from '../ops/operator-error.ts'

export class SignerError extends OperatorError {
  override readonly name = 'SignerError'
}
