// Writes the client's types from the OpenAPI document.
import type { Schema } from '../../openapi/support/arbitrary.ts'

interface Described {
  readonly operationId: string
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

export interface Paths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

type TypesOfFile = readonly (readonly [name: string, operation: string, place: 'data' | 'item' | 'body'])[]

/** Files, and each of their types with its place: the data of an answer, an item of that list, or the body of a request. */
export const typeFiles: Readonly<
  Record<'transaction-types' | 'account-types' | 'dashboard-types' | 'record-types', TypesOfFile>
> = {
  'transaction-types': [
    ['TransactionView', 'getTransaction', 'data'],
    ['CancellationView', 'getCancellation', 'data'],
    ['AttemptView', 'listAttempts', 'item'],
    ['BulkCancellationView', 'cancelPendingTransactions', 'data'],
    ['CancellationPreviewView', 'previewPendingCancellation', 'data'],
    ['SendInput', 'sendTransaction', 'body'],
  ],
  'account-types': [
    ['RelayerView', 'listRelayers', 'item'],
    ['RelayerStatusView', 'getRelayerStatus', 'data'],
    ['ApiKeyView', 'listApiKeys', 'item'],
    ['ApiKeyInput', 'createApiKey', 'body'],
    ['NewApiKeyView', 'createApiKey', 'data'],
    ['ReadinessView', 'getReadiness', 'data'],
  ],
  'dashboard-types': [
    ['OverviewView', 'getOverview', 'item'],
    ['TraceView', 'getTransactionTrace', 'data'],
    ['FindingView', 'search', 'item'],
    ['DailyGasView', 'listDailyGas', 'item'],
  ],
  'record-types': [
    ['AuditView', 'listAuditLog', 'item'],
    ['DeadLetterView', 'listDeadLetters', 'item'],
    ['NetworkView', 'listNetworks', 'item'],
    ['NotificationView', 'listNotifications', 'item'],
  ],
}

const head =
  '// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.\n'

const widthMax = 120

/** The text of a file, as Biome formats it. Throws for an operation that is gone. */
export function clientTypes(document: Paths, types: TypesOfFile): string {
  const operations = new Map(
    Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((each) => [each.operationId, each] as const),
    ),
  )
  const written = types.map(([name, id, place]) => {
    const operation = operations.get(id)
    if (!operation) throw new Error(`the document has no operation ${id}`)
    return `\nexport interface ${name} ${typeOf(schemaAt(operation, place), '', true)}\n`
  })
  return head + written.join('')
}

function schemaAt(operation: Described, place: 'data' | 'item' | 'body'): Schema {
  const body = place === 'body' ? operation.requestBody : operation.responses['200']
  const schema = body?.content['application/json']?.schema
  const { data } = schema?.properties ?? ({} as { readonly data?: Schema })
  const found = place === 'body' ? schema : data
  const at = place === 'item' ? found?.items : found
  if (!at) throw new Error(`${operation.operationId} has no ${place}`)
  return at
}

function typeOf(schema: Schema, indent: string, isWhole = false): string {
  const choices = choicesOf(schema)
  if (choices) return union([...new Set(choices.map((each) => typeOf(each, indent)))], indent)
  if ('const' in schema) return literal(schema.const)
  if (typeof schema.type === 'object') {
    return union(
      schema.type.map((type) => typeOf({ ...schema, type }, indent)),
      indent,
    )
  }
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const item = typeOf(schema.items ?? {}, indent)
      return choicesOf(schema.items ?? {}) ? `readonly (${item})[]` : `readonly ${item}[]`
    }
    case 'object':
      return objectOf(schema, indent, isWhole)
    case undefined:
      return 'unknown'
    default:
      return String(schema.type)
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string, isWhole: boolean) {
  const within = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => ({
    description: 'description' in schema ? `${within}/** ${capitalized(String(schema.description))} */\n` : '',
    code: `readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(required.includes(name) ? schema : withoutNull(schema), within)}`.replace(
      ': \n',
      ':\n',
    ),
  }))
  const line = `{ ${members.map(({ code }) => code).join('; ')} }`
  if (!isWhole && members.length > 0 && line.length < 80 && members.every(({ description }) => description === '')) {
    return line
  }
  if (members.length > 0) {
    return `{\n${members.map(({ description, code }) => `${description}${within}${code}\n`).join('')}${indent}}`
  }
  return typeof additionalProperties === 'object'
    ? `Readonly<Record<string, ${typeOf(additionalProperties, indent)}>>`
    : 'Readonly<Record<string, unknown>>'
}

/** Null stands for an absent member, and a client leaves the member out. */
function withoutNull(schema: Schema): Schema {
  const { type, anyOf, enum: values } = schema
  const forms = anyOf?.filter((form) => form.type !== 'null')
  const [only] = forms ?? []
  if (forms?.length === 1 && only)
    return { ...only, ...('description' in schema && { description: schema.description }) }
  return {
    ...schema,
    ...(forms && { anyOf: forms }),
    ...(typeof type === 'object' && { type: type.filter((each) => each !== 'null') }),
    ...(values && { enum: values.filter((value) => value !== null) }),
  }
}

/** Each of its own choices, and of theirs. Rules about the members of an object are left out. */
function choicesOf({ enum: values, anyOf, oneOf, properties }: Schema): readonly Schema[] | undefined {
  if (properties) return undefined
  if (values) return values.map((value) => ({ const: value }))
  return (anyOf ?? oneOf)?.flatMap((each) => choicesOf(each) ?? [each])
}

function union(members: readonly string[], indent: string): string {
  const [only] = members
  if (only !== undefined && members.length === 1) return only
  const line = members.join(' | ')
  if (line.length + indent.length < widthMax - 20) return line
  return members.map((each) => `\n${indent}  | ${each}`).join('')
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** A name of the API keeps its form. */
const capitalized = (text: string) => (/^\w+[.,]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1))
