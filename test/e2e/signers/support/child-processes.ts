// The processes that run with an argument.
import { readdir, readFile } from 'node:fs/promises'

export async function childrenWith(argument: string): Promise<readonly number[]> {
  const ids = (await readdir('/proc')).filter((each) => /^\d+$/.test(each))
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return ids.filter((_, place) => lines[place]?.split('\0').includes(argument)).map(Number)
}
