// Names that somebody may write by mistake: in another case, with other separators, or with one edit.
import fc from 'fast-check'

const letters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz_-ABCXYZ019 ')

/** A letter more, less, another, or two that changed places; never the name itself. */
export function oneEditOf(name: string): fc.Arbitrary<string> {
  const place = fc.nat(name.length)
  const edits = fc.oneof(
    fc.tuple(place, letters).map(([at, letter]) => name.slice(0, at) + letter + name.slice(at)),
    fc.tuple(place, letters).map(([at, letter]) => name.slice(0, at) + letter + name.slice(at + 1)),
    place.map((at) => name.slice(0, at) + name.slice(at + 1)),
    place.map(
      (at) =>
        name.slice(0, at) +
        name
          .slice(at, at + 2)
          .split('')
          .reverse()
          .join('') +
        name.slice(at + 2),
    ),
  )
  return edits.filter((edited) => edited !== name && edited !== '')
}

const camel = (name: string) => name.replace(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** As other languages and styles write it. */
export function stylesOf(name: string): readonly string[] {
  const styles = [camel(name), name.toUpperCase(), name.replaceAll('_', '-'), name.replaceAll('_', ''), ` ${name}`]
  return styles.filter((style) => style !== name)
}
