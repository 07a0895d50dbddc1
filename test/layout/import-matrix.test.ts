// The import matrix: kept by every file under src/, and noticed when it is not.
import { expect, test } from 'vitest'
import { matrixViolations } from './import-matrix.ts'
import { sourceFiles } from './source-files.ts'

test('every file under src keeps the import matrix', async () => {
  const files = await sourceFiles()
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap(matrixViolations)).toEqual([])
})

test.each([
  ['domain/fees.ts', "import { keccak256 } from 'viem'"],
  ['domain/fees.ts', "import { readFile } from 'node:fs/promises'"],
  ['domain/fees.ts', "import { systemClock } from '../ops/clock.ts'"],
  ['domain/fees.ts', "const lazy = await import('../store/store.ts')"],
  ['domain/fees.ts', "export { x } from '../chain/chain.ts'"],
  ['chain/nodes/endpoints.ts', "import type { Store } from '../../store/store.ts'"],
  ['signers/key-signer.ts', "import type { Chain } from '../chain/chain.ts'"],
  ['store/sqlite.ts', "import { limits } from '../config/limits.ts'"],
  ['commands/transactions/cancel.ts', "import { openSqlite } from '../../store/sqlite.ts'"],
  ['commands/transactions/cancel.ts', "import { step } from '../../engine/step.ts'"],
  ['engine/step.ts', "import { rpc } from '../chain/nodes/rpc.ts'"],
  ['engine/step.ts', "import { cancel } from '../commands/transactions/cancel.ts'"],
  ['http/server.ts', "import { ChainUnavailable } from '../chain/chain.ts'"],
  ['cli/cancel.ts', "import { cancel } from '../commands/transactions/cancel.ts'"],
  ['client/client.ts', "import { systemClock } from '../ops/clock.ts'"],
  ['serve.ts', "import { run } from './cli/run.ts'"],
  ['config/config.ts', "import type { Policies } from '../domain/relayer.ts'"],
  ['ops/clock.ts', "import { raisedBy } from '../domain/units.ts'"],
  ['main.ts', "import { openStore } from './store/sqlite.ts'"],
  ['compose.ts', "import { main } from './main.ts'"],
  ['store/sqlite.ts', "import { fees } from '../domain/fees'"],
  ['domain/fees.ts', `const x = \`\${a /* } */}\`\nimport { limits } from '../config/limits.ts'`],
  ['domain/transaction.ts', "import type { Decision } from './decide/decision.ts'"],
  ['domain/decide/terms/funds.ts', "import { lagOf } from '../rules/gas-reserve.ts'"],
  ['domain/decide/rules/sweeps.ts', "import { advance } from '../race/advance.ts'"],
  ['domain/decide/queue/assign-nonces.ts', "import { checkHistory } from '../lost-history/check-history.ts'"],
  ['domain/decide/race/bid.ts', "import { chooseWithin } from '../../bulk/choose-within.ts'"],
  ['chain/nodes/call.ts', "import { trackHead } from '../heads/track-head.ts'"],
  ['chain/sending/broadcast.ts', "import { readBalance } from '../accounts/read-balance.ts'"],
  ['commands/relayers/sign.ts', "import { cancel } from '../transactions/cancel.ts'"],
  ['store/transactions/written/claim.ts', "import { openPostgres } from '../../postgres/open.ts'"],
  ['store/statement.ts', "import { relayers } from './relayers/relayers.ts'"],
  ['http/response/envelope.ts', "import type { Principal } from '../request/authenticate.ts'"],
  ['http/request/audit.ts', "import { cancel } from '../transactions/cancel.ts'"],
  ['http/relayers/sign.ts', "import { getTransaction } from '../transactions/get-transaction.ts'"],
  ['http/transactions/cancel.ts', "import { openServer } from '../server/open-server.ts'"],
  ['http/stray.ts', "import { cancel } from '../commands/transactions/cancel.ts'"],
  ['http/cellar/cancel.ts', 'export const x = 1'],
  ['stray.ts', 'export const x = 1'],
])('a violation in %s is reported: %s', (path, source) => {
  expect(matrixViolations({ path, source })).not.toEqual([])
})

test.each([
  ['domain/fees.ts', "import type { Hex } from 'viem'\nimport { x } from './units.ts'"],
  ['domain/fees.ts', "// import { keccak256 } from 'viem'\nconst pattern = /['\"]/\nconst y = 1"],
  ['domain/fees.ts', "/*\nimport { keccak256 } from 'viem'\n*/"],
  ['http/transactions/cancel.ts', "import { cancel } from '../../commands/transactions/cancel.ts'"],
  ['http/events/present-event.ts', "import { presentTransaction } from '../transactions/present-transaction.ts'"],
  ['http/server/routes.ts', "import { createRelayer } from '../relayers/create-relayer.ts'"],
  ['commands/transactions/cancel.ts', "import { ChainUnavailable } from '../../chain/chain.ts'"],
  ['cli/cancel.ts', "import { openClient } from '../client/client.ts'"],
  ['cli/check/check-all.ts', "import { loadConfig } from '../../config/load-config.ts'"],
  ['http/server.ts', "import { type Store } from '../store/store.ts'"],
  ['compose.ts', "import { openStore } from './store/sqlite.ts'\nimport { limits } from './config/limits.ts'"],
  ['serve.ts', "import { compose } from './compose.ts'\nimport { loadConfig } from './config/load-config.ts'"],
])('an allowed import in %s is not reported', (path, source) => {
  expect(matrixViolations({ path, source })).toEqual([])
})
