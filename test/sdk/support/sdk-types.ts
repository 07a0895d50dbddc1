// What the published SDK promises, read from its own declarations: its operations, and JSON schemas of their answers.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'

const folder = dirname(createRequire(import.meta.url).resolve('@openzeppelin/relayer-sdk'))

/** `RelayersApi.sendTransaction`, and the name of the type that its answer promises. */
export const promisedAnswers: ReadonlyMap<string, string> = new Map(
  filesIn('apis').flatMap((text) => {
    const declared = /export declare class (\w+Api) extends BaseAPI \{([\s\S]*?)\n\}/.exec(text)
    if (!declared) throw new Error('an API of the SDK is not declared as a class any more; read it another way')
    const [, name, body = ''] = declared
    const method = /^ {4}(\w+)\([\s\S]*?\): Promise<import\("axios"\)\.AxiosResponse<(.+), any, \{\}>>;$/gm
    const methods = body.matchAll(method)
    return [...methods].map(([, called, type = '']): [string, string] => [`${name}.${called}`, type])
  }),
)

/** Other chain families' types stay out: an answer must not pass for a Solana one. */
const elsewhere = /Solana|Stellar/
const declarations = new Map(
  filesIn('models')
    .flatMap(declarationsIn)
    .filter(([name]) => !elsewhere.test(name)),
)
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
ajv.addSchema({
  $id: 'sdk',
  $defs: Object.fromEntries([...declarations].map(([name, text]) => [name, schemaOf(text)])),
})

/** How an answer breaks the promise of a type, in words; empty when it keeps it. */
export function brokenPromises(type: string, answer: unknown): readonly string[] {
  const schema = typeSchema(type, 'sdk')
  const validate = ajv.compile(schema)
  validate(answer)
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath || '/'} ${message} ${JSON.stringify(params)}`.trim(),
  )
}

function filesIn(part: string): string[] {
  const names = readdirSync(join(folder, part)).filter((name) => name.endsWith('.d.ts') && name !== 'index.d.ts')
  return names.map((name) => readFileSync(join(folder, part, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, ''))
}

function declarationsIn(text: string): [string, string][] {
  const found = text.matchAll(
    /^export (?:declare )?(?:(?:interface|enum) (\w+) \{[\s\S]*?^\}|type (\w+) = [\s\S]*?;$)/gm,
  )
  return [...found].map(([whole, shape, alias]) => [shape ?? alias ?? '', whole])
}

function schemaOf(declaration: string): AnySchemaObject {
  const [, kind, rest = ''] = /^export (?:declare )?(interface|enum|type) \w+([\s\S]*)$/.exec(declaration) ?? []
  if (kind === 'enum') return { enum: [...rest.matchAll(/= "(.*)"/g)].map(([, value]) => value) }
  // Aliases of object literals belong to other chain families, whose answers are never looked at.
  if (kind === 'type') return rest.includes('{') ? {} : typeSchema(rest.replace(/^\s*=\s*|;\s*$/g, ''), '')
  const members = [...rest.matchAll(/^ {4}'(\w+)'(\??): (.+);$/gm)].map(([, name = '', optional, type = '']) => ({
    name,
    required: optional === '',
    schema: typeSchema(type, ''),
  }))
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    required: members.filter(({ required }) => required).map(({ name }) => name),
  }
}

function typeSchema(type: string, base: string): AnySchemaObject {
  const members = type.split(' | ').filter((member) => !elsewhere.test(member))
  if (members.length === 0) return { not: {} }
  if (members.length > 1) return { anyOf: members.map((member) => typeSchema(member, base)) }
  const [only = ''] = members
  const list = /^(?:Array<(.+)>|(.+)\[\])$/.exec(only)?.slice(1).find(Boolean)
  if (list !== undefined) return { type: 'array', items: typeSchema(list, base) }
  if (only === 'any' || /^Record</.test(only)) return {}
  if (['string', 'number', 'boolean', 'object', 'null'].includes(only)) return { type: only }
  if (!declarations.has(only)) throw new Error(`the SDK declares no type "${only}"`)
  return { $ref: `${base}#/$defs/${only}` }
}
