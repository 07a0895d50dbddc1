// Parses the command line.
import { parseArgs } from 'node:util'

export type Command =
  | { readonly run: 'service' }
  | { readonly run: 'help'; readonly text: string }
  | { readonly run: 'version' }
  /** `args`: from the name of the command on. */
  | { readonly run: 'command'; readonly args: readonly string[] }
  | {
      readonly run: 'transfer' | 'rehearsal' | 'undo'
      /** As given; may begin with `sqlite:`. */
      readonly from: string
    }
  /** `text` names the mistake and the fix. */
  | { readonly run: 'nothing'; readonly text: string }

const help = `Rescind, an Ethereum transaction relayer built around cancellation.

rescind [start]                                      runs the service, until SIGTERM or SIGINT
rescind init                                         writes config/config.json and .env for one relayer
rescind check                                        checks configuration, ports, database and nodes before a start
rescind status                                       shows whether the service is ready, and its relayers
rescind nodes                                        shows each network's endpoints, and why one is not used
rescind send --to ADDRESS --value AMOUNT             sends a transaction, and prints its id
rescind tx list|get|watch|replace                    lists transactions, shows one, follows one, replaces one
rescind cancel ID [--wait SECONDS]                   cancels a transaction, and prints the verdict
rescind cancel --all                                 cancels everything pending, after a preview
rescind bulk create|list|show|watch                  cancels what a filter matches, and follows such cancellations
rescind stop-everything                              pauses all relayers, and cancels everything open of them
rescind pause, rescind resume                        pauses a relayer or a network, and lets it send again
rescind policies show|set|remove                     shows and changes a relayer's policies, such as gas_price_cap
rescind acknowledge CONDITION [--note TEXT]          acknowledges a condition of a relayer, until it is over
rescind gaps permit --count NUMBER                   permits more gap fillers than the limit of an hour
rescind sweep RELAYER --to ADDRESS                   pauses a relayer and sends its balance away
rescind keys list|create|revoke                      manages API keys
rescind signers probe ID                             lets a signer sign a fixed text, and shows how fast it was
rescind migrate sqlite-to-postgres --from FILE       moves the data of a SQLite file to the database that
                                                     DATABASE_URL names; "rescind migrate --help" has more
rescind COMMAND --help                               lists the options of a command
rescind --help, rescind --version

The configuration is read from the environment, from .env in the working directory, and from ./config/config.json;
docs/configuration.md has every setting.
`

const helpOfMigrate = `rescind migrate sqlite-to-postgres --from FILE [--dry-run | --undo]

Moves all data of a SQLite file to the PostgreSQL database that DATABASE_URL names, in the environment or in .env. The
database has to be empty, and no service may run on either. Every row is read back and compared before anything counts;
whenever it is cut off, run it again. Afterwards no service starts on the file.

  --from FILE   the SQLite file: ./data/rescind.db, or sqlite:./data/rescind.db
  --dry-run     does all of it, and takes it back: nothing changes. A service may go on running on the file
  --undo        takes a transfer back, as long as nothing was written to the database since: it is emptied, and services
                start on the file again
`

/** Commands that talk to a service, or prepare one; their code is loaded only when they run. */
const commands = [
  ...[
    'status',
    'nodes',
    'send',
    'tx',
    'cancel',
    'bulk',
    'stop-everything',
    'pause',
    'resume',
    'policies',
    'acknowledge',
    'gaps',
    'keys',
    'signers',
  ],
  ...['sweep', 'check', 'init'],
]

const ofTheProcess = ['start', 'migrate', 'help']

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  from: { type: 'string' },
  /** Parsed only to be refused: the target comes from the configuration. */
  to: { type: 'string' },
  'dry-run': { type: 'boolean' },
  undo: { type: 'boolean' },
} as const

export function parseArguments(args: readonly string[]): Command {
  const [first = '', second = '', ...rest] = args
  if (commands.includes(first)) return { run: 'command', args }
  if (first === 'help' && commands.includes(second)) return { run: 'command', args: [second, ...rest, '--help'] }
  // Before its options are read: they are of no command then.
  if (first !== '' && !first.startsWith('-') && !ofTheProcess.includes(first)) return noCommand(first)
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    // Node adds how to write positionals that look like options: there are no positionals.
    return wrong(`${(error instanceof Error ? error.message : String(error)).split('. To specify')[0]}`)
  }
  const { values, positionals } = parsed
  const [command, direction, ...more] = positionals
  if (values.help || command === 'help') {
    return { run: 'help', text: [command, direction].includes('migrate') ? helpOfMigrate : help }
  }
  if (values.version) return { run: 'version' }
  if (command === 'migrate') return parseMigrate(direction, more, values)
  if (command !== undefined && command !== 'start') return noCommand(command)
  if (direction !== undefined) return wrong(`"${direction}" is one argument too many; "start" has none`)
  const [stray] = Object.keys(values)
  return stray === undefined ? { run: 'service' } : wrong(`--${stray} belongs to "migrate sqlite-to-postgres"`)
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true })

type Values = ReturnType<typeof parse>['values']

function parseMigrate(direction: string | undefined, more: readonly string[], values: Values): Command {
  const { from, to, undo } = values
  if (direction !== 'sqlite-to-postgres') {
    return wrong(
      direction === undefined ? '"migrate" needs what: sqlite-to-postgres' : `"migrate ${direction}" is none`,
    )
  }
  if (to !== undefined || more.some((each) => /^postgres/.test(each))) {
    return wrong(
      'the target is named by DATABASE_URL: on a command line everybody on the machine could read its password',
    )
  }
  if (more.length > 0) return wrong(`"${more[0]}" is one argument too many; the file is named with --from`)
  if (!from) return wrong('--from is missing: the SQLite file to move, such as --from ./data/rescind.db')
  if (values['dry-run'] && undo) return wrong('--dry-run and --undo exclude each other')
  return { run: values['dry-run'] ? 'rehearsal' : undo ? 'undo' : 'transfer', from }
}

function noCommand(word: string): Command {
  const near = [...commands, ...ofTheProcess].map((known) => ({ known, edits: editsBetween(word, known) }))
  const [nearest] = near.sort((one, other) => one.edits - other.edits)
  const hint = nearest && nearest.edits <= 2 ? `; did you mean "${nearest.known}"?` : ''
  return wrong(`there is no command "${word}"${hint}`)
}

/** Letters to insert, remove or exchange (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [column, against] of [...other].entries()) {
      const exchanged = (row[column] ?? 0) + (letter === against ? 0 : 1)
      next.push(Math.min(exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

function wrong(text: string): Command {
  return { run: 'nothing', text: `rescind: ${text}\n"rescind --help" lists what there is\n` }
}
