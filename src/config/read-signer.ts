// Reads a signer out of a request, under the rules of the configuration file: secrets are texts there.
import { type Secret, secret } from '../ops/secret.ts'
import type { SignerConfig, SignerEnvironment } from './config.ts'
import { kindOf, type Members, readMembers } from './members.ts'
import { parseSigner } from './parse-signer.ts'
import { openReport, type Problem } from './report.ts'

export interface RequestedSigner {
  readonly type: string
  readonly config: unknown
  readonly address?: string
}

/** `environment` is absent where the process takes nothing from it. */
export function readSigner(
  id: string,
  { type, config, address }: RequestedSigner,
  environment: SignerEnvironment = { pkcs11Modules: [] },
): { readonly signer: SignerConfig } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const problem = (place: string, message: string) => void problems.push({ place, message })
  const report = { ...openReport(), problem }
  /** Nothing of a value is ever shown. */
  function secretOf(owner: Members, name: string): Secret | undefined {
    const value = owner.raw(name)
    if (typeof value === 'string' && value.trim() !== '') return secret(value)
    const fault = value === '' ? 'is empty' : `is ${kindOf(value)}`
    problem(owner.place(name), `${fault}; send a text, not empty`)
    return undefined
  }
  const members = readMembers({ type, config, address }, '', ['type', 'config', 'address'], report)
  const signer = parseSigner(id, members, { report, secretOf, isFile: false, cwd: '/', environment })
  return signer && problems.length === 0 ? { signer } : { problems }
}
