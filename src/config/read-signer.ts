// Reads a signer out of a request, under the rules of the configuration file: secrets are texts there.
import { secret } from '../ops/secret.ts'
import type { SignerConfig, SignerEnvironment } from './config.ts'
import { type Members, readMembers } from './members.ts'
import { keyServiceTypes, parseKeyService } from './parse-key-service.ts'
import { bareSecret } from './read-key-service.ts'
import { trimmed } from './read-reference.ts'
import type { Problem } from './report.ts'
import { openReport } from './report.ts'

/** The types that a request may have. */
export const requestedSignerTypes: readonly string[] = ['plain', ...keyServiceTypes]

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
  const report = {
    ...openReport(),
    problem: (place: string, message: string) => void problems.push({ place, message }),
  }
  const secretOf = bareSecret(report, secret)
  const members = readMembers({ type, config, address }, '', ['type', 'config', 'address'], report)
  const trimmedSecretOf = (owner: Members, name: string) => trimmed(secretOf(owner, name))
  const source = { report, secretOf, trimmedSecretOf, isFile: false, cwd: '/', environment }
  if (type === 'plain') {
    const key = secretOf(readMembers(config, 'config', ['key'], report), 'key')
    return key && problems.length === 0 ? { signer: { id, type, key } } : { problems }
  }
  const signer = parseKeyService(id, members, source)
  return signer && problems.length === 0 ? { signer } : { problems }
}
