// Reads source text as far as the layout rules need: comments taken out, and the imports listed.

export interface Import {
  /** As written: './fees.ts', 'viem', 'node:fs'. */
  readonly specifier: string
  /** Erased by the compiler: `import type`, `export type`, or every name with `type` before it. */
  readonly typeOnly: boolean
}

/** The code with its comments blanked, line by line the same; strings, templates and regular expressions stay. */
export function codeOf(source: string): string {
  return scan(source).code
}

/** As `codeOf`, and blanked between their quotes are strings, the text of templates, and regular expressions. */
export function wordsOf(source: string): string {
  return scan(source).words
}

function scan(source: string): { readonly code: string; readonly words: string } {
  let code = ''
  let words = ''
  let at = 0
  /** Of each template that is open: how many braces deep its current `${` is. */
  const templates: number[] = []
  while (at < source.length) {
    const rest = source.slice(at, at + 2)
    const char = source[at] ?? ''
    if (rest === '//' || rest === '/*') {
      const end = rest === '//' ? endOfLine(source, at) : source.indexOf('*/', at + 2) + 2
      const stop = end < at + 2 ? source.length : end
      const blank = source.slice(at, stop).replace(/[^\n]/g, ' ')
      code += blank
      words += blank
      at = stop
      continue
    }
    let length = 1
    const depth = templates.at(-1)
    if (char === "'" || char === '"') length = quoted(source, at, char)
    else if (char === '/' && startsRegex(code)) length = regex(source, at)
    else if (char === '`') {
      length = templateText(source, at + 1) + 1
      if (source.slice(at, at + length).endsWith('${')) templates.push(0)
    } else if (depth !== undefined && char === '{') templates[templates.length - 1] = depth + 1
    else if (depth !== undefined && char === '}' && depth > 0) templates[templates.length - 1] = depth - 1
    else if (depth === 0 && char === '}') {
      length = templateText(source, at + 1) + 1
      if (!source.slice(at, at + length).endsWith('${')) templates.pop()
    }
    const piece = source.slice(at, at + length)
    code += piece
    // A piece longer than a character is text between two marks: quotes, slashes, backticks, or the braces of a template.
    words += piece.replace(
      /^([\s\S])([\s\S]+)([\s\S])$/,
      (_, first, text, last) => first + text.replace(/[^\n]/g, ' ') + last,
    )
    at += length
  }
  return { code, words }
}

function endOfLine(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end < 0 ? source.length : end
}

function quoted(source: string, at: number, quote: string): number {
  let end = at + 1
  while (end < source.length && source[end] !== quote && source[end] !== '\n') end += source[end] === '\\' ? 2 : 1
  return end + 1 - at
}

/** From inside a template to its end, or past the next `${`. */
function templateText(source: string, at: number): number {
  let end = at
  while (end < source.length && source[end] !== '`' && source.slice(end, end + 2) !== '${') {
    end += source[end] === '\\' ? 2 : 1
  }
  return end + (source[end] === '`' ? 1 : 2) - at
}

function regex(source: string, at: number): number {
  let end = at + 1
  let inClass = false
  while (end < source.length && source[end] !== '\n' && (inClass || source[end] !== '/')) {
    if (source[end] === '[') inClass = true
    if (source[end] === ']') inClass = false
    end += source[end] === '\\' ? 2 : 1
  }
  return end + 1 - at
}

/** A slash after a value divides; anywhere else it opens a regular expression. */
function startsRegex(before: string): boolean {
  const last = before.trimEnd()
  return last === '' || !/[\w$)\]}'"`]$/.test(last) || /\b(return|typeof|case|in|of)$/.test(last)
}

const importForms = [
  /(?:^|[;\n])\s*(?:import|export)\s+(type\s+)?([\w$*{][^'"`;]*?)\s*from\s*['"]([^'"]+)['"]/g,
  /(?:^|[;\n])\s*import\s*()()['"]([^'"]+)['"]/g,
  /\b(?:import|require|require\.resolve)\s*\(()()\s*['"`]([^'"`]+)['"`]/g,
  /\bcreateRequire\([^)]*\)\s*\(()()\s*['"`]([^'"`]+)['"`]/g,
]

/** Static, re-exporting, bare, dynamic imports and `require`. Types named by `import('…')` count as dynamic. */
export function importsOf(source: string): readonly Import[] {
  const code = codeOf(source)
  return importForms.flatMap((form) =>
    [...code.matchAll(form)].map(([, type, clause, specifier]) => ({
      specifier: specifier ?? '',
      typeOnly: Boolean(type) || everyNameIsType(clause ?? ''),
    })),
  )
}

function everyNameIsType(clause: string): boolean {
  const names = /^\{([\s\S]*)\}$/
    .exec(clause.trim())?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '')
  return names !== undefined && names.length > 0 && names.every((name) => /^\s*type\s/.test(name))
}
