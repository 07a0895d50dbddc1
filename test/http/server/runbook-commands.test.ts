// The commands and calls that the runbook names exist, and their bodies are as the API takes them.
import type { Command } from 'commander'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProgram } from '../../../src/cli/program.ts'
import { openTerminal } from '../../../src/cli/terminal.ts'
import { dereferenced } from '../../openapi/support/dereferenced.ts'
import { readPage, runbookPages } from '../../support/runbook.ts'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
// biome-ignore lint/suspicious/noExplicitAny: a document that the tests walk through
let paths: any
beforeAll(async () => {
  server = await serve()
  ;({ paths } = dereferenced((await server.ask('GET', '/api/v1/openapi.json', { token: null })).body))
})
afterAll(() => server[Symbol.asyncDispose]())

async function quoted(start: RegExp): Promise<readonly string[]> {
  const pages = await Promise.all(runbookPages.map(readPage))
  const found = pages.flatMap((page) => [...page.matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].map(([, code = '']) => code))
  return [...new Set(found.filter((code) => start.test(code)))]
}

function operationAt(method: string, path: string) {
  const given = `/api/v1${path}`.replace(/\?.*$/, '').split('/')
  const template = Object.keys(paths)
    .filter((each) => each.split('/').length === given.length)
    // A name goes before a parameter.
    .toSorted((one, other) => one.split('{').length - other.split('{').length)
    .find((each) => each.split('/').every((part, at) => part.startsWith('{') || part === given[at]))
  return template === undefined ? undefined : paths[template][method.toLowerCase()]
}

test('every call is an operation of the API, with a body that its schema takes', async () => {
  const calls = await quoted(/^api |^(?:GET|PUT|PATCH|POST|DELETE) /)
  expect(calls.length).toBeGreaterThan(25)
  for (const call of calls) {
    const [, method = '', path = '', body] =
      /^(?:api )?(\w+) '?([^\s']+)'?(?: '(.+)')?$/s.exec(
        call.replace(/\$?\bT\b/, '/relayers/RELAYER/transactions/ID'),
      ) ?? []
    const operation = operationAt(method, path.replace(/^\/api\/v1/, ''))
    expect(operation, call).toBeDefined()
    if (body === undefined) continue
    const schema: TSchema = operation.requestBody.content['application/json'].schema
    // Three dots stand for the digits that a reader copies.
    const given = JSON.parse(body.replace('0x…', `0x${'1'.repeat(64)}`))
    expect([call, Compile(schema).Errors(given)]).toEqual([call, []])
  }
})

test('every command is one of the command line, with its options', async () => {
  const { stdin, stdout, stderr } = process
  const life = { env: {}, directory: '/', stop: new AbortController().signal, stdin, stdout, stderr }
  const program = openProgram({ life, terminal: openTerminal(life) }, () => undefined)
  const commands = await quoted(/^rescind /)
  expect(commands.length).toBeGreaterThan(8)
  for (const command of commands) {
    const [, ...words] = command.split(/\s+/)
    let at: Command = program
    while (at.commands.some((each) => each.name() === words[0])) {
      at = at.commands.find((each) => each.name() === words[0]) ?? at
      words.shift()
    }
    expect(at, command).not.toBe(program)
    const known = at.options.flatMap(({ short, long }) => [short, long])
    const unknown = words.filter((word) => word.startsWith('-') && !known.includes(word))
    expect([command, unknown]).toEqual([command, []])
  }
})
