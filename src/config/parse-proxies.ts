// The variables of a proxy, as most programs read them: in capitals or not. An empty one is none.
import { defined } from '../domain/defined.ts'
import { type Secret, secret } from '../ops/secret.ts'
import type { Environment } from './read-reference.ts'
import type { Report } from './report.ts'

export interface ProxyConfig {
  readonly http?: Secret
  readonly https?: Secret
  readonly noProxy: readonly string[]
}

/** Parses the proxies; undefined where no variable names one. */
export function parseProxies(env: Environment, report: Report): ProxyConfig | undefined {
  const [http, https] = [proxyOf(env, 'HTTP_PROXY', report), proxyOf(env, 'HTTPS_PROXY', report)]
  const noProxy = (variable(env, 'NO_PROXY') ?? '').split(/[,\s]+/).filter((each) => each !== '')
  if (!http && !https) return undefined
  return { ...defined({ http, https }), noProxy }
}

function proxyOf(env: Environment, name: string, report: Report): Secret | undefined {
  const value = variable(env, name)
  if (value === undefined) return undefined
  if (/^https?:$/.test(URL.parse(value)?.protocol ?? '')) return secret(value)
  report.problem(name, 'is no http or https URL; write it as http://proxy.example:3128')
  return undefined
}

/** curl and others prefer the name in small letters. */
function variable(env: Environment, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined
}
