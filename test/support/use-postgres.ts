// Makes the databases of a test file those of the server that the run has started.
import { inject } from 'vitest'
import { serverVariable } from '../../tooling/tested-database.ts'

process.env[serverVariable] = inject('postgresUrl')
