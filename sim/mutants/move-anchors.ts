// Moves mutants' edits to the file that has their text now, where it stands once in all of src/: `node sim/mutants/move-anchors.ts`. It names
// the others, whose text has changed or stands several times.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { mutants } from './mutants.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sources = new Map(
  readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [`src/${path}`, readFileSync(`${root}src/${path}`, 'utf8')]),
)
/** The one file that has the text, once. */
function placeOf(text: string): string | undefined {
  const places = [...sources].filter(([, source]) => source.includes(text))
  return places.length === 1 && isOnceIn(places[0]?.[0], text) ? places[0]?.[0] : undefined
}

function isOnceIn(path: string | undefined, text: string): boolean {
  return path !== undefined && sources.get(path)?.split(text).length === 2
}

const astray = new Set(
  mutants
    .flatMap(({ name, edits }) => edits.map((edit) => ({ name, ...edit })))
    .filter(({ file, find }) => !isOnceIn(file, find)),
)
/** An edit as it is written. Its file may be a constant: that is moved by hand. */
const written = /\bfile: '(?<file>[^']+)',\s+find: (?<find>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`$]*`)/g
for (const name of readdirSync(`${root}sim/mutants`).filter((each) => /^of-.*\.ts$/.test(each))) {
  const path = `${root}sim/mutants/${name}`
  const source = readFileSync(path, 'utf8')
  const moved = source.replace(written, (all, file: string, find: string) => {
    const edit = [...astray].find((each) => each.file === file && each.find === textOf(find))
    const place = edit && placeOf(edit.find)
    if (!edit || !place) return all
    astray.delete(edit)
    process.stdout.write(`${edit.name}: ${place}\n`)
    return all.replace(`'${file}'`, `'${place}'`)
  })
  if (moved !== source) writeFileSync(path, moved)
}
for (const { name, find } of astray)
  process.stdout.write(`LEFT ${name}: ${placeOf(find) ?? 'its text stands nowhere, or several times'}: ${find}\n`)
process.exitCode = astray.size > 0 ? 1 : 0

/** The text that a literal of TypeScript stands for. */
function textOf(literal: string): string {
  return literal.slice(1, -1).replaceAll(/\\(.)/gs, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
}
