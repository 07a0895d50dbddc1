// The contract on SQLite.
import { storeContract } from './contract.ts'
import { openStore } from './open-store.ts'

storeContract('SQLite', openStore)
