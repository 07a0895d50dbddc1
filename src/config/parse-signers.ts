// The signers of the file: where each key comes from. Keys are opened later, see signers/.
import { resolve } from 'node:path'
import { type Secret, secret } from '../ops/secret.ts'
import type { SignerConfig, SignerEnvironment } from './config.ts'
import { type Members, readMembers } from './members.ts'
import { parseKeyService } from './parse-key-service.ts'
import type { KeyServiceSource } from './read-key-service.ts'
import { type Environment, readReference, trimmed, warnOfBlanks } from './read-reference.ts'
import { type Report, reportApart } from './report.ts'
import type { EntityProblems } from './unused-faults.ts'

export function parseSigners(
  file: Members,
  env: Environment,
  cwd: string,
  environment: SignerEnvironment,
  report: Report,
): { readonly signers: readonly SignerConfig[]; readonly found: readonly EntityProblems[] } {
  const signers: SignerConfig[] = []
  const found: EntityProblems[] = []
  for (const { value, place } of file.items('signers')) {
    const apart = reportApart(report)
    const members = readMembers(value, place, ['id', 'type', 'config', 'address'], apart)
    const id = members.requiredText('id')
    if (id !== '' && found.some(({ name }) => name === id)) {
      apart.problem(members.place('id'), `"${id}" is defined twice; remove or rename one of the two`)
    }
    const signer = parseSigner(id, members, env, sourceOf(env, cwd, environment, apart))
    found.push({ kind: 'signer', name: id, problems: apart.problems })
    if (signer) signers.push(signer)
  }
  const faulty = found.filter(({ problems }) => problems.length > 0).map(({ name }) => name)
  return { signers: signers.filter(({ id }) => !faulty.includes(id)), found }
}

function sourceOf(env: Environment, cwd: string, environment: SignerEnvironment, report: Report): KeyServiceSource {
  return {
    report,
    secretOf(owner, name) {
      const taken = readReference(owner, name, env, report)
      if (taken) warnOfBlanks(taken, owner.place(name), report)
      return taken
    },
    trimmedSecretOf: (owner, name) => trimmed(readReference(owner, name, env, report)),
    isFile: true,
    cwd,
    environment,
  }
}

function parseSigner(
  id: string,
  signer: Members,
  env: Environment,
  source: KeyServiceSource,
): SignerConfig | undefined {
  const { report, cwd } = source
  const at = signer.place('config')
  const content = signer.raw('config')
  const type = signer.raw('type')
  if ((type === 'plain' || type === 'local') && signer.has('address')) {
    report.problem(
      signer.place('address'),
      `is for keys in a service; remove it, since a "${type}" key shows its address`,
    )
  }
  switch (type) {
    case 'plain': {
      const key = source.trimmedSecretOf(readMembers(content, at, ['key'], report), 'key')
      if (key === undefined) return undefined
      if (!/^(0x)?[0-9a-fA-F]{64}$/.test(key.reveal())) {
        report.problem(
          `${at}.key`,
          'refers to a value that is no private key; give it 64 hexadecimal digits, with or without 0x',
        )
      }
      return { id, type: 'plain', key }
    }
    case 'local': {
      const members = readMembers(content, at, ['path', 'passphrase'], report)
      const path = members.requiredText('path')
      const passphrase = readReference(members, 'passphrase', env, report)
      if (passphrase) warnOfBlanks(passphrase, members.place('passphrase'), report)
      return passphrase && { id, type: 'local', path: resolve(cwd, path), passphrase }
    }
    default:
      return parseKeyService(id, signer, source)
  }
}

// What the environment says for all signers: the platform's credentials, and libraries that requests may name.
const modulesOf = ({ PKCS11_MODULES: modules }: Environment) => modules
const identityEndpointOf = ({ IDENTITY_ENDPOINT: endpoint }: Environment) => endpoint

/**
 * Azure's workload identity sets its variables in each pod. App Service and Container Apps set an endpoint and a header for
 * managed identities. Azure Arc sets an endpoint alone, with another protocol.
 */
export function parseSignerEnvironment(env: Environment, cwd: string): SignerEnvironment {
  const given = (name: string): Secret | undefined => (env[name] ? secret(env[name]) : undefined)
  const [tenant, client] = [given('AZURE_TENANT_ID'), given('AZURE_CLIENT_ID')]
  const file = given('AZURE_FEDERATED_TOKEN_FILE')
  const [endpoint, header] = [identityEndpointOf(env), given('IDENTITY_HEADER')]
  const modules = (modulesOf(env) ?? '').split(',').map((each) => each.trim())
  return {
    ...(tenant && { azureTenantId: tenant }),
    ...(client && { azureClientId: client }),
    ...(file && { azureFederatedTokenFile: file }),
    ...(endpoint && header && { azureIdentity: { endpoint, header } }),
    pkcs11Modules: modules.filter((each) => each !== '').map((each) => resolve(cwd, each)),
  }
}
