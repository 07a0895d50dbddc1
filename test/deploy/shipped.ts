// What deploy/ holds, as data, and what it may name.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { documented } from '../support/documented.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const isThere = (path: string) => existsSync(join(root, path))
export const read = (path: string) => readFileSync(join(root, path), 'utf8')

// biome-ignore lint/suspicious/noExplicitAny: of a file, which the tests hold against what it must be
export type Yaml = any

/** Each document; throws on invalid YAML, and on a duplicate key. */
export function readYaml(path: string): readonly Yaml[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    const [fault] = [...document.errors, ...document.warnings]
    if (fault) throw fault
    return document.toJS()
  })
}

export function yamlFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder)).filter((name) => name.endsWith('.yaml'))
}

/** Variables of the service, and those that a configuration refers to by itself. */
export async function unknownVariables(names: readonly string[], config: string): Promise<readonly string[]> {
  const known = new Set(await documented('## The environment'))
  return names.filter((name) => !known.has(name) && !config.includes(`"value": "${name}"`))
}

export const exampleConfig = () => read('config/config.example.json')
export const composeEnvironment = () => parseEnv(read('deploy/compose.env.example'))
