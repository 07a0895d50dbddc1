// Loaded before the service: counts the SQL statements that run for requests over HTTP. SIGUSR2 writes the count to STATEMENTS_FILE.
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import pg from 'pg'

const request = new AsyncLocalStorage<true>()
let statements = 0

// Steps and sweeps in the background run outside of it.
subscribe('http.server.request.start', () => request.enterWith(true))

type Methods = Record<string, (...args: unknown[]) => unknown>

function count(prototype: object, names: readonly string[]): void {
  const methods = prototype as Methods
  for (const name of names) {
    const plain = methods[name]
    if (!plain) throw new Error(`there is no ${name} to count`)
    methods[name] = function counted(this: unknown, ...args: unknown[]) {
      if (request.getStore()) statements += 1
      return plain.apply(this, args)
    }
  }
}

const memory = new Database(':memory:')
count(Object.getPrototypeOf(memory.prepare('SELECT 1')), ['run', 'get', 'all'])
memory.close()
count(pg.Client.prototype, ['query'])

const file = process.env['STATEMENTS_FILE'] ?? ''
process.on('SIGUSR2', () => writeFileSync(file, `${statements}\n`))
