// Writes the client's types from the OpenAPI document.
import type { Schema } from '../../openapi/support/arbitrary.ts'

/** The document, as far as types are written from it. */
export interface NamedSchemas {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

type TypesOfFile = readonly (readonly [name: string, schema: string])[]

/** Files, and each of their types with its schema in the document. */
export const typeFiles: Readonly<
  Record<
    | 'transaction-types'
    | 'bulk-types'
    | 'bulk-preview-types'
    | 'account-types'
    | 'relayer-types'
    | 'dashboard-types'
    | 'record-types',
    TypesOfFile
  >
> = {
  'transaction-types': [
    ['TransactionView', 'Transaction'],
    ['CancellationView', 'Verdict'],
    ['AttemptView', 'Attempt'],
    ['BulkCancellationView', 'BulkCancellation'],
    ['CancellationPreviewView', 'CancellationPreview'],
    ['SendInput', 'SendRequest'],
    ['ReplaceInput', 'ReplaceRequest'],
    ['HoldView', 'Hold'],
    ['ReleaseResultView', 'ReleaseResult'],
    ['ReleaseInput', 'ReleaseRequest'],
    ['ReleaseOfInput', 'ReleaseOf'],
  ],
  'bulk-types': [
    ['BulkView', 'BulkCancellationObject'],
    ['BulkHeadView', 'BulkCancellationHead'],
    ['BulkTransactionView', 'BulkCanceledTransaction'],
    ['BulkInput', 'BulkCancellationRequest'],
  ],
  'bulk-preview-types': [
    ['BulkPreviewInput', 'BulkCancellationPreviewRequest'],
    ['BulkPreviewView', 'BulkCancellationPreview'],
  ],
  'account-types': [
    ['RelayerView', 'Relayer'],
    ['RelayerStatusView', 'RelayerStatus'],
    ['ApiKeyView', 'ApiKey'],
    ['ApiKeyInput', 'ApiKeyRequest'],
    ['NewApiKeyView', 'NewApiKey'],
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
    ['AcknowledgmentInput', 'AcknowledgmentRequest'],
  ],
  'dashboard-types': [
    ['TraceView', 'Trace'],
    ['ListedTraceView', 'ListedTrace'],
    ['FindingView', 'Finding'],
    ['DailyGasView', 'DailyGas'],
    ['SeriesView', 'Series'],
  ],
  'record-types': [
    ['AuditView', 'AuditRecord'],
    ['DeadLetterView', 'DeadLetter'],
    ['NetworkView', 'Network'],
    ['NetworkPauseInput', 'NetworkPauseRequest'],
    ['NetworkNodesView', 'NetworkNodes'],
    ['NotificationView', 'Notification'],
  ],
}

const head =
  '// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.\n'

const widthMax = 120

/** The text of a file, as Biome formats it. Throws for a schema that is gone. */
export function clientTypes({ components: { schemas } }: NamedSchemas, types: TypesOfFile): string {
  const written = types.map(([name, title]) => {
    const schema = schemas[title]
    if (!schema) throw new Error(`the document has no schema ${title}`)
    return `\nexport interface ${name} ${typeOf(schema, '', true)}\n`
  })
  return head + written.join('')
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
      // The client gives those that are larger than 2^53 as texts.
      return 'format' in schema && schema.format === 'uint256' ? 'number | string' : 'number'
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
  if (!line.includes('\n') && line.length + indent.length < widthMax - 20) return line
  return members.map((each) => `\n${indent}  | ${each.replaceAll('\n', '\n    ')}`).join('')
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** A name of the API keeps its form. */
const capitalized = (text: string) => (/^\w+[.,]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1))
