// The signers of the file: where each key comes from. Keys are opened later, see signers/.
import { resolve } from 'node:path'
import { type Secret, secret } from '../ops/secret.ts'
import type { SignerConfig, SignerEnvironment } from './config.ts'
import { type Members, readMembers } from './members.ts'
import { parseSigner } from './parse-signer.ts'
import { type Environment, readReference } from './read-reference.ts'
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
    const signer = parseSigner(id, members, {
      report: apart,
      secretOf: (owner, name) => readReference(owner, name, env, apart),
      isFile: true,
      cwd,
      environment,
    })
    found.push({ kind: 'signer', name: id, problems: apart.problems })
    if (signer) signers.push(signer)
  }
  const faulty = found.filter(({ problems }) => problems.length > 0).map(({ name }) => name)
  return { signers: signers.filter(({ id }) => !faulty.includes(id)), found }
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
