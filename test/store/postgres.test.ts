// The contract on PostgreSQL.
import { storeContract } from './contract.ts'
import { openOn, sharedPostgres } from './open-postgres.ts'

storeContract('PostgreSQL', openOn(sharedPostgres()))
