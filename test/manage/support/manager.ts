// Requests management operations as a client does, and looks for secrets where none may be.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, until } from '../../../tooling/client.ts'
import { databaseIn } from '../../../tooling/tested-database.ts'

export const storageKey = (byte: number) => Buffer.alloc(32, byte).toString('base64')

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire has no type until a test looks at it
export type Body = any

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The data of a success. Throws on anything else. */
export async function manage(client: Client, method: Method, path: string, body?: object) {
  const answer = await client.request(method, path, { body })
  const reported = answer.body as { data: Body; message?: string }
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(reported)}`)
  return reported.data
}

/** Status, code and message of a refusal. */
export async function refused(client: Client, method: Method, path: string, body?: object) {
  const { status, headers, body: reported } = await client.request(method, path, { body })
  return { status, code: headers['relayer-error-code'], message: (reported as { message: string }).message }
}

export async function mined(client: Client, relayer: string, id: string, node: { mine(): Promise<unknown> }) {
  await until(
    async () => {
      const { status } = await client.get(relayer, id)
      if (status === 'confirmed') return true
      await node.mine()
      return false
    },
    { everyMs: 100, what: `${id} of ${relayer} to be confirmed` },
  )
}

/** The files under `directory`, and its database, that hold `secret`: as text, as hex of it, as base64, or as the bytes that its hex stands for. */
export function filesWith(directory: string, secret: string): readonly string[] {
  const hex = secret.replace(/^0x/, '')
  const forms = [
    Buffer.from(secret),
    Buffer.from(hex.toLowerCase()),
    Buffer.from(hex.toUpperCase()),
    Buffer.from(Buffer.from(secret).toString('base64').slice(0, -4)),
    ...(/^[0-9a-f]{64}$/i.test(hex) ? [Buffer.from(hex, 'hex')] : []),
  ]
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const holds = (bytes: Buffer) => forms.some((form) => bytes.includes(form))
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return [
    ...paths.filter((path) => holds(readFileSync(path))),
    ...(databaseIn(directory).bytes().some(holds) ? ['the database'] : []),
  ]
}
