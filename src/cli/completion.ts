// rescind completion: a script for the shell, written from the commands themselves.
import type { Command } from 'commander'
import type { Act, Around } from './command.ts'
import { type Exit, exits, usage } from './exits.ts'

/** A command, or the program itself under the empty path. */
interface Node {
  /** The words of the command after `rescind`, each after a space. */
  readonly path: string
  readonly words: readonly Word[]
}

interface Word {
  readonly text: string
  readonly description: string
  /** Values that follow the option. */
  readonly values?: readonly string[]
}

const shells = ['bash', 'zsh', 'fish'] as const

export function addCompletion(program: Command, act: Act): void {
  program
    .command('completion')
    .description('print a script that completes commands and options')
    .argument('<shell>', shells.join(', '))
    .action(act((around, shell: string) => printCompletion(around, shell, program)))
}

async function printCompletion({ terminal }: Around, shell: string, program: Command): Promise<Exit> {
  const found = shells.find((each) => each === shell)
  if (!found) throw usage(`"${shell}" is none of ${shells.join(', ')}`)
  const nodes = [...nodesOf(program, ''), ...outside]
  const scripts = { bash, zsh, fish }
  terminal.print(scripts[found](mergeRoot(nodes)).trimEnd())
  return exits.done
}

/** Commands that the process itself runs. */
const outside: readonly Node[] = [
  {
    path: '',
    words: [
      { text: 'start', description: 'run the service' },
      { text: 'migrate', description: 'move the data of a SQLite file to PostgreSQL' },
      { text: '--help', description: 'list the commands' },
      { text: '--version', description: 'print the version' },
    ],
  },
  { path: ' migrate', words: [{ text: 'sqlite-to-postgres', description: 'from --from FILE to DATABASE_URL' }] },
  {
    path: ' migrate sqlite-to-postgres',
    words: [
      { text: '--from', description: 'the SQLite file' },
      { text: '--dry-run', description: 'change nothing' },
      { text: '--undo', description: 'take a transfer back' },
    ],
  },
]

function mergeRoot(nodes: readonly Node[]): readonly Node[] {
  const isRoot = ({ path }: Node) => path === ''
  const words = nodes.filter(isRoot).flatMap((node) => node.words)
  return [{ path: '', words }, ...nodes.filter((node) => !isRoot(node))]
}

function nodesOf(command: Command, path: string): readonly Node[] {
  const options = command.options.flatMap(({ long, description, argChoices }) =>
    long ? [{ text: long, description, ...(argChoices && { values: argChoices }) }] : [],
  )
  const commands = command.commands.map((each) => ({ text: each.name(), description: each.description() }))
  const isShell = path === ' completion'
  const values = isShell ? shells.map((text) => ({ text, description: 'a shell' })) : []
  return [
    { path, words: [...commands, ...values, ...options] },
    ...command.commands.flatMap((each) => nodesOf(each, `${path} ${each.name()}`)),
  ]
}

const inQuotes = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** An option of several commands has the values of each. */
function choices(nodes: readonly Node[]): readonly (readonly [option: string, values: string])[] {
  const all = new Map<string, Set<string>>()
  for (const { text, values } of nodes.flatMap(({ words }) => words)) {
    if (values) all.set(text, new Set([...(all.get(text) ?? []), ...values]))
  }
  return [...all].map(([option, values]) => [option, [...values].join(' ')])
}

/** The loop that finds the command among the words before the cursor is that of bash and zsh alike. */
function pathCases(nodes: readonly Node[]): string {
  return nodes.flatMap(({ path }) => (path === '' ? [] : [inQuotes(path)])).join('|')
}

function bash(nodes: readonly Node[]): string {
  const words = nodes.map(
    (node) => `    ${inQuotes(node.path)}) words=${inQuotes(node.words.map(({ text }) => text).join(' '))} ;;`,
  )
  const values = choices(nodes).map(([option, each]) => `    ${option}) words=${inQuotes(each)} ;;`)
  return `# rescind completion bash: source it, or write it to a folder of bash-completion.
_rescind() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${pathCases(nodes)}) path="$path $word" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _rescind rescind
`
}

function zsh(nodes: readonly Node[]): string {
  const described = ({ text, description }: Word) => inQuotes(`${text.replaceAll(':', '\\:')}:${description}`)
  const words = nodes.map((node) => `    ${inQuotes(node.path)}) found=(${node.words.map(described).join(' ')}) ;;`)
  const values = choices(nodes).map(([option, each]) => `    ${option}) found=(${each}) ;;`)
  return `#compdef rescind
# rescind completion zsh: write it to a file _rescind in a folder of $fpath, or source it after compinit.
_rescind() {
  local where='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$where $word" in
      ${pathCases(nodes)}) where="$where $word" ;;
    esac
  done
  case "$where" in
${words.join('\n')}
  esac
  case "\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  _describe 'rescind' found
}
if [[ "\${funcstack[1]}" == _rescind ]]; then _rescind; else compdef _rescind rescind; fi
`
}

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, words }) =>
    words.map(({ text, description, values }) => {
      const option = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${inQuotes(text)}`
      const given = values ? ` -x -a ${inQuotes(values.join(' '))}` : ''
      return `complete -c rescind -n ${inQuotes(`test (__rescind_path) = ${JSON.stringify(`:${path}`)}`)} ${option}${given} -d ${fishQuotes(description)}`
    }),
  )
  const paths = nodes.flatMap(({ path }) => (path === '' ? [] : [inQuotes(path)])).join(' ')
  return `# rescind completion fish: write it to ~/.config/fish/completions/rescind.fish.
function __rescind_path
  set -l path ''
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    if contains -- "$path $word" ${paths}
      set path "$path $word"
    end
  end
  echo ":$path"
end
complete -c rescind -f
${lines.join('\n')}
`
}

const fishQuotes = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
