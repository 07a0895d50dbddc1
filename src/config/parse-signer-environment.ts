// What the environment says for all signers: the platform's credentials, and libraries that requests may name.
import { resolve } from 'node:path'
import { type Secret, secret } from '../ops/secret.ts'
import type { SignerEnvironment } from './config.ts'
import type { Environment } from './read-reference.ts'

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
