// The picture of rooms and imports in docs/architecture.md is the one that the code gives.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drawRooms, pictureIn } from './draw-rooms.ts'
import { sourceFiles } from './source-files.ts'

test('docs/architecture.md shows the imports of the code; `node test/layout/draw-rooms.ts` renews the picture', async () => {
  const document = await readFile(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8')
  expect(pictureIn(document)).toBe(drawRooms(await sourceFiles()))
})

test('an arrow is dotted where the matrix allows single files of a room only', () => {
  const source = "import { x } from '../store/store.ts'\nimport { y } from '../domain/fees.ts'"
  const drawn = drawRooms([
    { path: 'engine/step.ts', source },
    { path: 'compose.ts', source: "import { open } from './store/sqlite.ts'" },
  ])
  expect(drawn.split('\n').slice(2, -1)).toEqual(['  compose --> store', '  engine -.-> store'])
})
