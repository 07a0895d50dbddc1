// What the environment says for all signers: the platform's credentials, and libraries that requests may name.
import { resolve } from 'node:path'
import { type Secret, secret } from '../ops/secret.ts'
import type { SignerEnvironment } from './config.ts'
import type { Environment } from './read-reference.ts'

const modulesOf = ({ PKCS11_MODULES: modules }: Environment) => modules

/** Azure's workload identity sets these variables in each pod. */
export function parseSignerEnvironment(env: Environment, cwd: string): SignerEnvironment {
  const given = (name: string): Secret | undefined => (env[name] ? secret(env[name]) : undefined)
  const [tenant, client] = [given('AZURE_TENANT_ID'), given('AZURE_CLIENT_ID')]
  const file = given('AZURE_FEDERATED_TOKEN_FILE')
  const modules = (modulesOf(env) ?? '').split(',').map((each) => each.trim())
  return {
    ...(tenant && { azureTenantId: tenant }),
    ...(client && { azureClientId: client }),
    ...(file && { azureFederatedTokenFile: file }),
    pkcs11Modules: modules.filter((each) => each !== '').map((each) => resolve(cwd, each)),
  }
}
