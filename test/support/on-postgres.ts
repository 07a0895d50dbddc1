// One server for all the files that a run tests on PostgreSQL.
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../tooling/postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly postgresUrl: string
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ settings: { max_connections: '300' } })
  const url = new URL(await server.database())
  await server.query(`ALTER ROLE ${url.username} CREATEDB`)
  url.pathname = '/postgres'
  project.provide('postgresUrl', url.href)
  return async () => server[Symbol.asyncDispose]()
}
