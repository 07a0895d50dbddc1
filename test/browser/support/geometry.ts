// What is wrong with the layout of a page, by the boxes of its elements and of its texts.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Of desks, tablets and phones. */
const widths = [1440, 900, 768, 360] as const

/** The page at `url`, once its data is there. */
export async function openSettled(page: Page, url: string): Promise<void> {
  await page.setViewportSize({ width: widths[0], height: 900 })
  await page.goto(url)
  await page.locator('main h1').waitFor()
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
}

/** One line for each fault of the page as it is, or of the dialog that is open, at each width. */
export async function layoutFaults(page: Page): Promise<readonly string[]> {
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    // Charts follow the size of their box a frame later.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    const found = await page.evaluate<readonly string[]>(
      `(() => {${inPage.join('\n')}; return faultsOf(pageSeen())})()`,
    )
    faults.push(...found.map((fault) => `${width}: ${fault}`))
  }
  return faults
}

/** What a person sees of the page. */
interface Seen {
  /** The dialog that is open, or everything. */
  readonly scope: Element
  readonly elements: readonly HTMLElement[]
  readonly texts: readonly Written[]
}

interface Written {
  readonly words: string
  readonly parent: Element
  readonly boxes: readonly DOMRect[]
}

// These run in the page, where they have nothing but each other.

function named(element: Element): string {
  const text = (element.textContent || element.getAttribute('aria-label') || '').replaceAll(/\s+/g, ' ').trim()
  return `${element.localName}${element.className ? `.${element.className}` : ''} "${text.slice(0, 50)}"`
}

function isClipped(element: Element | null): boolean {
  return element !== null && (getComputedStyle(element).clipPath !== 'none' || isClipped(element.parentElement))
}

function isSeen(element: Element): boolean {
  return element.checkVisibility({ visibilityProperty: true }) && !element.closest('.skip, svg') && !isClipped(element)
}

function pageSeen(): Seen {
  const scope = document.querySelector('dialog[open]') ?? document.body
  const texts: Written[] = []
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement
    if (!(node instanceof Text) || !parent || node.data.trim() === '' || !isSeen(parent)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
    texts.push({ words: node.data.trim().slice(0, 50), parent, boxes })
  }
  return { scope, texts, elements: [...scope.querySelectorAll<HTMLElement>('*')].filter(isSeen) }
}

function faultsOf(seen: Seen): readonly string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  return [
    ...(scrollWidth > clientWidth ? [`the page is ${scrollWidth} wide`] : []),
    ...faultsOfTexts(seen),
    ...faultsOfCuts(seen),
    ...faultsOfFields(seen),
    ...faultsOfCheckBoxes(seen),
    ...faultsOfControls(seen),
    ...faultsOfRows(seen),
    ...(linesIn(document.querySelector('header.top'), seen) > 1 ? ['the header has more than one line'] : []),
  ]
}

/** Each text is in every box around it. What scrolls downward may have more below. */
function faultsOfTexts({ scope, texts }: Seen): readonly string[] {
  const leftBy = (parent: Element, box: DOMRect): string | undefined => {
    let isBelow = false
    for (let around: Element | null = parent; around && around !== scope.parentElement; around = around.parentElement) {
      const { display, overflowY } = getComputedStyle(around)
      if (display === 'inline' || display === 'contents') continue
      if (around.classList.contains('elided')) return undefined
      const frame = around.getBoundingClientRect()
      const isHigher = box.top < frame.top - 3 || box.bottom > frame.bottom + 3
      isBelow ||= /auto|scroll/.test(overflowY)
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || (isHigher && !isBelow)) return named(around)
    }
    return box.left < 0 || box.right > document.documentElement.clientWidth ? 'page' : undefined
  }
  return texts.flatMap(({ words, parent, boxes }) => {
    const left = boxes.map((box) => leftBy(parent, box)).find((each) => each !== undefined)
    return left === undefined ? [] : [`"${words}" leaves its ${left}`]
  })
}

/** Nothing is cut, but prose whose whole text is its title, and on a page of its own. */
function faultsOfCuts({ elements }: Seen): readonly string[] {
  const isCut = (element: HTMLElement) => {
    if (element.localName === 'input' || (element.classList.contains('elided') && element.title !== '')) return false
    const { overflowX, overflowY } = getComputedStyle(element)
    const isWider = overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1
    return isWider || (/hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 1)
  }
  return elements.filter(isCut).map((element) => `${named(element)} is cut`)
}

/** The chosen word of a list, and the hint of a field, have room. */
function faultsOfFields({ elements }: Seen): readonly string[] {
  const pen = document.createElement('canvas').getContext('2d')
  return elements.flatMap((field) => {
    if (!pen || !(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) return []
    const { font, paddingLeft, paddingRight } = getComputedStyle(field)
    pen.font = font
    const [shown, sign] =
      field instanceof HTMLSelectElement
        ? [field.selectedOptions[0]?.text ?? '', 16]
        : field.type === 'datetime-local'
          ? ['01/01/2020, 12:00:00 AM', 24]
          : [field.placeholder, 0]
    const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - sign
    return pen.measureText(shown).width > room + 1 ? [`"${shown}" is cut in a field`] : []
  })
}

/** A box to check stands at the first line of its words. */
function faultsOfCheckBoxes({ elements, texts }: Seen): readonly string[] {
  return elements.flatMap((box) => {
    if (!(box instanceof HTMLInputElement) || !/checkbox|radio/.test(box.type)) return []
    const label = box.labels?.[0]
    if (!label?.textContent) return [`a check box has no label: ${named(box.parentElement ?? box)}`]
    const words = texts.find(({ parent }) => label.contains(parent))?.boxes[0]
    if (!words) return []
    const { right, top, bottom } = box.getBoundingClientRect()
    const gap = words.left - right
    const isBeside = gap >= 0 && gap <= 16 && Math.abs(words.top + words.bottom - top - bottom) <= 10
    return isBeside ? [] : [`${named(label)} is not beside its check box`]
  })
}

/** Nothing to press covers another, and links and labels stand apart. */
function faultsOfControls({ elements }: Seen): readonly string[] {
  const controls = elements.filter((each) => each.matches('a[href], button, input, select, summary, label'))
  const areas = controls.flatMap((control) => [...control.getClientRects()].map((box) => ({ control, box })))
  return areas.flatMap(({ control, box }, index) =>
    areas.slice(index + 1).flatMap(({ control: other, box: its }) => {
      // What has scrolled out of its list is covered by what stands below the list.
      const isApart = control.closest('.picks') !== other.closest('.picks')
      if (isApart || control.contains(other) || other.contains(control)) return []
      const across = Math.min(box.right, its.right) - Math.max(box.left, its.left)
      const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top)
      const areWords = [control, other].every(({ localName }) => localName === 'a' || localName === 'label')
      const least = areWords ? -2 : 1
      return across > least && down > 3 ? [`${named(control)} touches ${named(other)}`] : []
    }),
  )
}

/** Rows of lists have the box to check first, buttons last, and one line where they are no cards. */
function faultsOfRows(seen: Seen): readonly string[] {
  return [...seen.scope.querySelectorAll('table.list > tbody > tr')].flatMap((row) => {
    const cells = [...row.children]
    const boxes = cells.map((cell) => cell.querySelector('input[type=checkbox]') !== null)
    const buttons = cells.map((cell) => cell.querySelector('button:not(.copy), a.button') !== null)
    const isTall = linesIn(row, seen) > 1 || row.clientHeight > 46
    return [
      ...(boxes.lastIndexOf(true) > 0 ? [`the check box of ${named(row)} is not first`] : []),
      ...(buttons.slice(0, -1).includes(true) ? [`a button of ${named(row)} is not last`] : []),
      ...(getComputedStyle(row).display === 'table-row' && isTall ? [`${named(row)} is more than a line high`] : []),
    ]
  })
}

function linesIn(element: Element | null, { texts }: Seen): number {
  return texts
    .filter(({ parent }) => element?.contains(parent))
    .flatMap(({ boxes }) => boxes.map(({ top, bottom }) => (top + bottom) / 2))
    .sort((one, other) => one - other)
    .filter((middle, index, all) => index === 0 || middle - (all[index - 1] ?? 0) > 6).length
}

const inPage = [
  ...[named, isClipped, isSeen, pageSeen, linesIn, faultsOf],
  ...[faultsOfTexts, faultsOfCuts, faultsOfFields, faultsOfCheckBoxes, faultsOfControls, faultsOfRows],
]
