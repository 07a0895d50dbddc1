// A signer that can't be opened: names the signer, the file where there is one, and the fix; never key or passphrase.
export class SignerError extends Error {
  override readonly name = 'SignerError'
}
