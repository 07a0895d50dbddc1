// rescind check: whether the service can start here, and what its nodes can do.
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Act, Around } from './command.ts'
import { type Exit, exits } from './exits.ts'
import { table } from './format.ts'

interface Options {
  readonly json?: true
  readonly strict?: true
  readonly fromOpenzeppelin?: string
  readonly allNetworks?: true
}

export function addCheck(program: Command, act: Act): void {
  program
    .command('check')
    .description('check the configuration, the ports, the database and the nodes, before a start')
    .option('--strict', 'refuse members of the file that are not known, also where a start passes over them')
    .option(
      '--from-openzeppelin <dir>',
      'check the folder of an OpenZeppelin Relayer (with .env and config/), and list what differs',
    )
    .option('--all-networks', 'call also the nodes of networks that no relayer uses')
    .option('--json', 'print JSON')
    .action(act(check))
}

async function check({ life, terminal }: Around, options: Options): Promise<Exit> {
  const { checkAll } = await import('./check/check-all.ts')
  const { strict: isStrict = false, fromOpenzeppelin: folder, allNetworks = false } = options
  const checked = folder === undefined ? life : { ...life, directory: resolve(life.directory, folder) }
  const comparesOpenZeppelin = folder !== undefined
  const findings = await checkAll(checked, (line) => terminal.progress(line), {
    ...{ isStrict, comparesOpenZeppelin, allNetworks },
  })
  const errors = findings.filter(({ level }) => level === 'error').length
  if (options.json) terminal.printJson(findings)
  else {
    const rows = findings.map((each) => [each.level, each.place, each.check, each.text])
    for (const [index, line] of table(['', 'PLACE', 'CHECK', 'RESULT'], rows).entries()) {
      const level = findings[index - 1]?.level
      terminal.print(
        level === undefined || level === 'ok' ? line : terminal.paint(level === 'error' ? 'red' : 'yellow', line),
      )
    }
  }
  if (errors === 0) return exits.done
  terminal.say(`rescind: ${errors === 1 ? 'an error' : `${errors} errors`} in ${findings.length} checks`)
  return exits.error
}
