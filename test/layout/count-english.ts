// Prints how often each file uses the phrases that test/layout/english.ts counts: documents, comments and strings of src/ and sim/, and the
// other rooms.
import {
  type Count,
  commentsOf,
  countPhrases,
  documentCounts,
  roomCounts,
  sharedRooms,
  stringsOf,
  total,
  withoutEdits,
} from './english.ts'
import { sourceFiles } from './source-files.ts'

const sources = await sourceFiles()
const simulator = await sourceFiles('sim')

const parts: readonly (readonly [string, readonly Count[]])[] = [
  ['documents', await documentCounts()],
  ['comments of src/', sources.map(({ path, source }) => countPhrases(`src/${path}`, commentsOf(source)))],
  ['strings of src/', sources.map(({ path, source }) => countPhrases(`src/${path}`, stringsOf(source)))],
  ['comments of sim/', simulator.map(({ path, source }) => countPhrases(`sim/${path}`, commentsOf(source)))],
  [
    'strings of sim/',
    simulator.map(({ path, source }) => countPhrases(`sim/${path}`, stringsOf(withoutEdits(source)))),
  ],
  ...(await Promise.all(
    sharedRooms.map(async (room) => {
      const { counts, inThousandLines } = await roomCounts(room)
      return [`${room}/ (${inThousandLines.toFixed(1)} in 1,000 lines)`, counts] as const
    }),
  )),
]

for (const [name, counts] of parts) {
  process.stdout.write(`${name}: ${total(counts)}\n`)
  for (const count of counts.filter((each) => each.total > 0).sort((one, other) => other.total - one.total)) {
    const phrases = Object.entries(count.phrases).filter(([, times]) => times > 0)
    const list = phrases.map(([phrase, times]) => `${phrase} ${times}`).join(', ')
    process.stdout.write(`${String(count.total).padStart(5)}  ${count.path}: ${list}\n`)
  }
}
