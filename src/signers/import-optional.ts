// Imports a package that only some signers need, on first use.
import { memberOf } from '../ops/member.ts'
import { SignerError } from '../ops/operator-error.ts'

/** Throws SignerError with the command that helps, if the package is not installed. */
export async function importOptional<T>(
  signer: { readonly id: string; readonly type: string },
  name: string,
  version: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const code = memberOf(error, 'code')
    const { id, type } = signer
    const fault =
      code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
        ? 'which is not installed'
        : `which does not load (${typeof code === 'string' ? code : 'unknown error'})`
    throw new SignerError(
      `signer "${id}": type "${type}" needs the package ${name}, ${fault}; run: npm install ${name}@${version}`,
    )
  }
}
