// JSON Schemas of signers by their table: those of requests, and those of the file for editors.
import { mayBeAbsent, type RowOf, type SignerForm, type SignerMember } from './signer-form.ts'

export type SignerSchema = Readonly<Record<string, unknown>>

/** The differences between the file and a request. */
export interface SignerDialect {
  readonly isFile: boolean
  secret(row: RowOf<'secret'>): SignerSchema
  url(row: RowOf<'url'>): SignerSchema
  /** The keywords of a text that each request of the signer has in a header. */
  readonly inHeader: SignerSchema
}

/** A text that is not blank, without U+0000, which PostgreSQL can't store. */
const text: SignerSchema = { type: 'string', pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$' }
const none: SignerSchema = { type: 'null' }
const addressSchema: SignerSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$', format: 'eip55-address' }

/** The parsers drop space at the ends. `pattern` is of the rest. */
export function formed(pattern: string): SignerSchema {
  return { type: 'string', pattern: `^\\s*${pattern}\\s*$` }
}

function formSchema(form: SignerForm, dialect: SignerDialect): SignerSchema {
  const rows = Object.values(form.members)
  const properties = [
    ...rows.map((row) => [row.name, memberSchema(row, dialect)]),
    ...(form.refused ?? []).map((name) => [name, none]),
    ...(form.unread ?? []).map((name) => [name, { description: 'not read' }]),
  ]
  return {
    ...{ title: form.title, type: 'object' },
    ...(form.note !== undefined && { description: form.note }),
    required: rows.filter((row) => !mayBeAbsent(row)).map(({ name }) => name),
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}

function memberSchema(row: SignerMember, dialect: SignerDialect): SignerSchema {
  const value = valueSchema(row, dialect)
  const standIn = 'default' in row ? row.default : undefined
  const description = standIn === undefined ? row.meaning : `${row.meaning}; ${JSON.stringify(standIn)} by default`
  const example = 'example' in row ? row.example : standIn
  return {
    ...(mayBeAbsent(row) ? orNone(value) : value),
    description,
    ...(example !== undefined && { examples: [example] }),
  }
}

/** Null stands for an absent member. */
export function orNone(schema: SignerSchema): SignerSchema {
  const { type, enum: values, anyOf } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, none] }
  if (Array.isArray(values)) return { ...schema, enum: [...values, null] }
  return { ...schema, ...(type !== 'null' && { type: [type, 'null'] }) }
}

function valueSchema(row: SignerMember, dialect: SignerDialect): SignerSchema {
  const { isFile } = dialect
  switch (row.kind) {
    case 'text':
      if (row.onlyInRequests && !isFile) return { enum: [row.onlyInRequests.value] }
      if (row.inHeader) return { ...text, ...dialect.inHeader }
      return row.pattern === undefined ? text : formed(`(${row.pattern})`)
    case 'url':
      return dialect.url(row)
    case 'secret':
      return row.inFileOnly && !isFile ? none : dialect.secret(row)
    case 'way':
      return { enum: [row.value] }
    case 'count':
      return { type: 'integer', minimum: row.min, maximum: row.max }
    case 'file':
      return isFile ? text : none
    case 'library':
      return text
    case 'address':
      return addressSchema
    case 'publicKey':
      return { ...text, format: 'secp256k1-public-key' }
    case 'object':
      return formSchema(row, dialect)
  }
}

/** The forms of `config` of each of the types. */
export function configSchemas(forms: Readonly<Record<string, SignerForm>>, dialect: SignerDialect): SignerSchema[] {
  const allowed = Object.values(forms).filter(({ inFileOnly }) => dialect.isFile || !inFileOnly)
  return allowed.map((form) => formSchema(form, dialect))
}
