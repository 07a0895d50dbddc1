// The commands with their options: what help lists.
import { Command } from 'commander'
import { addAcknowledge } from './acknowledge.ts'
import { addBulk, addStopEverything } from './bulk.ts'
import { addCancel } from './cancel.ts'
import { addCheck } from './check.ts'
import type { Act, Around } from './command.ts'
import type { Exit } from './exits.ts'
import { addGetTransaction } from './get-transaction.ts'
import { addInit } from './init.ts'
import { addKeys } from './keys.ts'
import { addListTransactions } from './list-transactions.ts'
import { addNodes } from './nodes.ts'
import { addPause } from './pause.ts'
import { addGaps } from './permit-gap-fillers.ts'
import { addPolicies } from './policies.ts'
import { addSigners } from './probe-signer.ts'
import { addReleaseTransactions } from './release-transactions.ts'
import { addReplaceTransaction } from './replace-transaction.ts'
import { addSend } from './send.ts'
import { addStatus } from './status.ts'
import { addSweep } from './sweep.ts'
import { addWatchTransaction } from './watch-transaction.ts'

export function openProgram(around: Around, ended: (exit: Exit) => void): Command {
  const { stdout, stderr } = around.life
  const act: Act =
    (run) =>
    async (...args) =>
      ended(await run(around, ...args))
  const program = new Command('rescind').exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text.replace(/^error: /, 'rescind: ')),
  })
  for (const add of [
    addStatus,
    addNodes,
    addSend,
    addPause,
    addPolicies,
    addAcknowledge,
    addTransactions,
    addCancel,
    addBulk,
    addStopEverything,
    addGaps,
    addSweep,
    addKeys,
    addSigners,
    addCheck,
    addInit,
  ])
    add(program, act)
  return program
}

function addTransactions(program: Command, act: Act): void {
  const tx = program.command('tx').description('list, show, follow, replace and release transactions')
  for (const add of [
    addListTransactions,
    addGetTransaction,
    addWatchTransaction,
    addReplaceTransaction,
    addReleaseTransactions,
  ])
    add(tx, act)
}
