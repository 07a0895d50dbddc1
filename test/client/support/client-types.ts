// Writes the client's types from the OpenAPI document.
import type { Schema as PlainSchema } from '../../openapi/support/arbitrary.ts'

/** The document, as far as types are written from it. */
export interface NamedSchemas {
  readonly components: { readonly schemas: Schemas }
}

type Schemas = Readonly<Record<string, Schema>>

interface Schema extends Omit<PlainSchema, 'anyOf' | 'oneOf' | 'items' | 'properties' | 'additionalProperties'> {
  readonly $ref?: string
  readonly description?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
}

/** What a reference stands for in a type. */
type Refer = (reference: string) => string

/**
 * Files, and each of their types with its schema in the document. `extends`: the schema has all members of that one.
 * A schema that is only a part of these has a `…View`, in the file that needs it, or in `shared-types`.
 */
const typeFiles: Readonly<Record<string, readonly (readonly [name: string, schema: string, extended?: string])[]>> = {
  'transaction-types': [
    ['TransactionView', 'Transaction'],
    ['CancellationView', 'Verdict'],
    ['AttemptView', 'Attempt'],
    ['BulkCancellationView', 'BulkCancellation'],
    ['CancellationPreviewView', 'CancellationPreview'],
    ['SendInput', 'SendRequest', 'ReplaceRequest'],
    ['ReplaceInput', 'ReplaceRequest'],
    ['ValueInput', 'Value'],
    ['AmountInput', 'Amount'],
    ['HoldView', 'Hold'],
    ['ReleaseResultView', 'ReleaseResult'],
    ['ReleaseInput', 'ReleaseRequest'],
    ['ReleaseOfInput', 'ReleaseOf'],
  ],
  'bulk-types': [
    ['BulkView', 'BulkCancellationObject', 'BulkCancellationHead'],
    ['BulkHeadView', 'BulkCancellationHead'],
    ['BulkTransactionView', 'BulkCanceledTransaction'],
    ['BulkInput', 'BulkCancellationRequest', 'BulkCancellationPreviewRequest'],
    ['BulkFilterInput', 'BulkFilter'],
    ['BulkPreviewInput', 'BulkCancellationPreviewRequest'],
    ['BulkPreviewView', 'BulkCancellationPreview'],
  ],
  'account-types': [
    ['RelayerView', 'Relayer'],
    ['RelayerStatusView', 'RelayerStatus'],
    ['ApiKeyView', 'ApiKey'],
    ['ApiKeyInput', 'ApiKeyRequest'],
    ['NewApiKeyView', 'NewApiKey', 'ApiKey'],
    ['ReadinessView', 'Readiness'],
    ['SignerProbeView', 'SignerProbe'],
    ['GapFillerPermitView', 'GapFillerPermit'],
    ['GapFillerPermitInput', 'GapFillerPermitRequest'],
    ['SweepView', 'Sweep'],
    ['SweepInput', 'SweepRequest'],
  ],
  'relayer-types': [
    ['OverviewView', 'Overview'],
    ['RelayerConditionView', 'RelayerCondition'],
    ['HeldUpTransactionView', 'HeldUpTransaction', 'OpenTransaction'],
    ['AcknowledgmentInput', 'AcknowledgmentRequest'],
  ],
  'dashboard-types': [
    ['TraceView', 'Trace', 'ListedTrace'],
    ['ListedTraceView', 'ListedTrace'],
    ['TracedAttemptView', 'TracedAttempt', 'Attempt'],
    ['FindingView', 'Finding'],
    ['DailySpendView', 'DailySpend'],
    ['SeriesView', 'Series'],
  ],
  'event-types': [
    ['EventView', 'Event'],
    ['EventPayloadView', 'EventPayload', 'Transaction'],
    ['DeadLetterView', 'DeadLetter'],
  ],
  'record-types': [
    ['AuditView', 'AuditRecord'],
    ['NetworkView', 'Network'],
    ['NetworkPauseInput', 'NetworkPauseRequest'],
    ['NetworkNodesView', 'NetworkNodes'],
    ['NodeReportView', 'Node', 'NodeEndpoint'],
    ['NotificationView', 'Notification'],
  ],
}

const listed = new Map(Object.values(typeFiles).flatMap((types) => types.map((type) => [type[1], type] as const)))
const sharedFile = 'shared-types'

const head =
  '// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.\n'

const widthMax = 120

/** The text of each file, as Biome formats it. Throws for a schema that is gone. */
export function clientTypes({ components: { schemas } }: NamedSchemas): ReadonlyMap<string, string> {
  const files = typesByFile(schemas)
  const fileOf = new Map([...files].flatMap(([file, types]) => types.map(({ name }) => [name, file] as const)))
  return new Map(
    [...files].map(([file, types]) => {
      const others = new Set(
        types.flatMap(({ parts }) => parts.map(nameOf)).filter((name) => fileOf.get(name) !== file),
      )
      const imports = Map.groupBy(others, (name) => fileOf.get(name) ?? sharedFile)
      return [file, [head + importsOf(imports), ...types.map(({ code }) => code)].join('\n')]
    }),
  )
}

interface Type {
  readonly name: string
  readonly code: string
  /** The schemas that it refers to. */
  readonly parts: readonly string[]
}

function typesByFile(schemas: Schemas): ReadonlyMap<string, readonly Type[]> {
  const within = (title: string): readonly string[] => {
    const parts = typeNamed(title, schemas).parts.filter((part) => !listed.has(part))
    return [title, ...parts.flatMap(within)]
  }
  const files = Object.entries(typeFiles).map(
    ([file, types]) => [file, [...new Set(types.flatMap(([, title]) => within(title)))]] as const,
  )
  const isShared = (title: string) => files.filter(([, titles]) => titles.includes(title)).length > 1
  const shared = new Set(files.flatMap(([, titles]) => titles.filter(isShared)))
  const own = files.map(([file, titles]) => [file, titles.filter((title) => !isShared(title))] as const)
  return new Map(
    [...own, [sharedFile, [...shared]] as const].map(([file, titles]) => [
      file,
      titles.map((title) => typeNamed(title, schemas)),
    ]),
  )
}

function importsOf(imports: ReadonlyMap<string, readonly string[]>): string {
  const lines = [...imports].sort().map(([file, names]) => {
    const line = `import type { ${names.toSorted().join(', ')} } from './${file}.ts'\n`
    return line.length <= widthMax + 1
      ? line
      : line.replace('{ ', '{\n  ').replaceAll(', ', ',\n  ').replace(' }', ',\n}')
  })
  return lines.join('')
}

function typeNamed(title: string, schemas: Schemas): Type {
  const [name, , extended] = listed.get(title) ?? [`${title}View`]
  const parts = new Set(extended === undefined ? [] : [extended])
  const refer = (reference: string) => {
    const part = reference.slice('#/components/schemas/'.length)
    parts.add(part)
    return nameOf(part)
  }
  const schema = schemaOf(title, schemas)
  const own = extended === undefined ? schema : beyond(schema, schemaOf(extended, schemas))
  const code = hasMembers(own)
    ? `interface ${name} ${extended === undefined ? '' : `extends ${nameOf(extended)} `}${objectOf(own, '', true, refer)}`
    : `type ${name} = ${typeOf(own, '', refer)}`
  return { name, code: `${docOf(schema, '')}export ${code.replace(' = \n', ' =\n')}\n`, parts: [...parts] }
}

function nameOf(title: string): string {
  return listed.get(title)?.[0] ?? `${title}View`
}

function schemaOf(title: string, schemas: Schemas): Schema {
  const schema = schemas[title]
  if (!schema) throw new Error(`the document has no schema ${title}`)
  return schema
}

const hasMembers = ({ properties = {} }: Schema) => Object.keys(properties).length > 0

/** The schema without the members of the one that it extends. Throws where it has one in another form. */
function beyond(schema: Schema, extended: Schema): Schema {
  const form = ({ properties, required }: Schema, name: string) =>
    JSON.stringify([properties?.[name], required?.includes(name)])
  const members = Object.keys(extended.properties ?? {})
  const differing = members.filter((name) => form(schema, name) !== form(extended, name))
  if (differing.length > 0) throw new Error(`these members differ from those extended: ${differing.join(', ')}`)
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !members.includes(name))
  return { ...schema, properties: Object.fromEntries(own) }
}

function typeOf(schema: Schema, indent: string, refer: Refer): string {
  if (schema.$ref !== undefined) return refer(schema.$ref)
  const choices = choicesOf(schema)
  if (choices) return union([...new Set(choices.map((each) => typeOf(each, indent, refer)))], indent)
  if ('const' in schema) return literal(schema.const)
  if (typeof schema.type === 'object') {
    return union(
      schema.type.map((type) => typeOf({ ...schema, type }, indent, refer)),
      indent,
    )
  }
  switch (schema.type) {
    case 'integer':
    case 'number':
      // The client gives those that are larger than 2^53 as texts.
      return schema.format === 'uint256' ? 'number | string' : 'number'
    case 'array': {
      const item = typeOf(schema.items ?? {}, indent, refer)
      return choicesOf(schema.items ?? {}) ? `readonly (${item})[]` : `readonly ${item}[]`
    }
    case 'object':
      return objectOf(schema, indent, false, refer)
    case undefined:
      return 'unknown'
    default:
      return schema.type
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  indent: string,
  isWhole: boolean,
  refer: Refer,
): string {
  const within = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => ({
    doc: docOf(schema, within),
    code: `readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(required.includes(name) ? schema : withoutNull(schema), within, refer)}`.replace(
      ': \n',
      ':\n',
    ),
  }))
  const line = `{ ${members.map(({ code }) => code).join('; ')} }`
  if (!isWhole && members.length > 0 && line.length < 80 && members.every(({ doc }) => doc === '')) return line
  if (members.length > 0) {
    return `{\n${members.map(({ doc, code }) => `${doc}${within}${code}\n`).join('')}${indent}}`
  }
  return typeof additionalProperties === 'object'
    ? `Readonly<Record<string, ${typeOf(additionalProperties, indent, refer)}>>`
    : 'Readonly<Record<string, unknown>>'
}

const docOf = ({ description }: Schema, indent: string) =>
  description === undefined ? '' : `${indent}/** ${capitalized(description)} */\n`

/** Null stands for an absent member, and a client leaves the member out. */
function withoutNull(schema: Schema): Schema {
  const { type, anyOf, enum: values } = schema
  const forms = anyOf?.filter((form) => form.type !== 'null')
  const [only] = forms ?? []
  if (forms?.length === 1 && only) {
    return { ...only, ...(schema.description !== undefined && { description: schema.description }) }
  }
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
  if (!line.includes('\n') && line.length + indent.length < widthMax - 20) return line
  return members.map((each) => `\n${indent}  | ${each.replaceAll('\n', '\n    ')}`).join('')
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** A name of the API keeps its form. */
const capitalized = (text: string) => (/^\w+[.,]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1))
