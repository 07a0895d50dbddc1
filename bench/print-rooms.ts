// The rooms of src that a CPU profile's time goes to: a library's time counts for the room that calls it. What started the service counts, too.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** As `node --cpu-prof` writes it (the inspector's Profiler.Profile). Times are in microseconds. */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

const roomsShown = 16

/** A table for each profile in the directory. */
export function printRooms(directory: string, print: (line: string) => void): void {
  for (const file of globSync('*.cpuprofile', { cwd: directory }).sort()) {
    const used = timeByRoom(JSON.parse(readFileSync(join(directory, file), 'utf8')) as Profile)
    const total = [...used.values()].reduce((sum, each) => sum + each, 0)
    print(`the main thread of ${basename(file, '.cpuprofile')}: ${Math.round(total / 1_000)} ms`)
    for (const [room, time] of [...used].sort(([, one], [, other]) => other - one).slice(0, roomsShown)) {
      const share = `${((100 * time) / total).toFixed(1)} %`
      print(`  ${room.padEnd(28)}${String(Math.round(time / 1_000)).padStart(8)} ms${share.padStart(9)}`)
    }
  }
}

function timeByRoom({ nodes, samples, timeDeltas }: Profile): ReadonlyMap<string, number> {
  const rooms = roomsOf(nodes)
  const used = new Map<string, number>()
  samples.forEach((id, index) => {
    const room = rooms.get(id)
    if (room !== undefined) used.set(room, (used.get(room) ?? 0) + (timeDeltas[index] ?? 0))
  })
  return used
}

/** Idle time has none. */
function roomsOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const rooms = new Map<number, string>()
  const visit = (node: ProfileNode, caller: string) => {
    const { functionName, url } = node.callFrame
    const room = functionName === '(garbage collector)' ? 'garbage collection' : (roomOf(url) ?? caller)
    if (functionName !== '(idle)') rooms.set(node.id, room)
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child) visit(child, room)
    }
  }
  const [root] = nodes
  if (root) visit(root, 'Node itself')
  return rooms
}

/** `src/chain/nodes` for a file below it. Undefined outside src. */
function roomOf(url: string): string | undefined {
  const [, path] = url.split('/src/')
  if (path === undefined || url.includes('/node_modules/')) return undefined
  return ['src', ...path.split('/').slice(0, -1).slice(0, 2)].join('/')
}
